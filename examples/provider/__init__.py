"""A model provider for the examples. It speaks OpenAI's chat completions and Responses and Anthropic's
messages, refuses what those refuse, and answers as a model would that knows nothing but the messages that
it is sent.
"""
