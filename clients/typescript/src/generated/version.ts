// Made by generate.mjs from openapi/anchord.json; changes belong there.

export const version = "0.1.0";
