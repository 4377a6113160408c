//! Vectors: how the vectors of messages are stored, and how those that are near a question's are found.
//!
//! The vectors of [`BLOCK`] messages are one block, a sequence of entries: the message's place in the block and the
//! number of its vectors (a byte each), and for each vector its scale (`f32`, little-endian) and a signed byte for every
//! dimension. Vectors have length 1, and a byte is a 127th of the vector's largest number: the similarity of two differs
//! by less than 0.01 from that of the originals, for a quarter of the bytes.
//!
//! The search is exact: it looks at every vector that it is given. Ten thousand messages of 384 dimensions are four
//! megabytes and four million products of whole numbers; an index would need more than the vectors themselves.

use super::postings::Corrupt;
use anchord_messages::id::Seq;

/// How many messages a block has.
pub const BLOCK: Seq = 64;
/// The most dimensions of a vector.
pub const MOST_DIMENSIONS: usize = 4_096;
/// The largest number of a question's vector, as it is searched with: products of these and bytes, summed over
/// [`MOST_DIMENSIONS`], fit into 32 bits.
const STEPS: f32 = 1_023.0;
/// The bytes of a vector beside its dimensions.
const SCALE_BYTES: usize = 4;

/// The block that a message is in, from 0.
pub fn block_of(seq: Seq) -> Seq {
    (seq - 1) / BLOCK
}

/// A message near a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Its position.
    pub seq: Seq,
    /// Which of its passages is nearest, from 0.
    pub passage: usize,
    /// The cosine of the angle between that passage's vector and the question's.
    pub similarity: f32,
}

/// A vector of length 1; `None` when it has another number of dimensions than it may, is zero, or holds what is no number.
pub fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    if !(1..=MOST_DIMENSIONS).contains(&vector.len()) || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "a quotient from -1 to 1")]
    let unit = |x: &f32| (f64::from(*x) / length) as f32;
    (length > 0.0 && length.is_finite()).then(|| vector.iter().map(unit).collect())
}

/// Encodes the vectors of consecutive messages, `first` being the position of the first one, block by block. Vectors that
/// [`unit`] refuses are left out.
pub fn encode(first: Seq, messages: &[Vec<Vec<f32>>]) -> Vec<(Seq, Vec<u8>)> {
    let mut blocks: Vec<(Seq, Vec<u8>)> = Vec::new();
    for (seq, vectors) in (first..).zip(messages) {
        let vectors: Vec<Vec<f32>> =
            vectors.iter().take(usize::from(u8::MAX)).filter_map(|vector| unit(vector)).collect();
        if vectors.is_empty() {
            continue;
        }
        let block = block_of(seq);
        if blocks.last().is_none_or(|(last, _)| *last != block) {
            blocks.push((block, Vec::new()));
        }
        let Some((_, bytes)) = blocks.last_mut() else { continue };
        bytes.push(u8::try_from((seq - 1) % BLOCK).unwrap_or_default());
        bytes.push(u8::try_from(vectors.len()).unwrap_or_default());
        for vector in &vectors {
            let scale = largest(vector) / 127.0;
            bytes.extend(scale.to_le_bytes());
            #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
            bytes.extend(vector.iter().map(|x| (x / scale).round() as i8).map(i8::cast_unsigned));
        }
    }
    blocks
}

fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |most: f32, x| most.max(x.abs()))
}

/// A question's vector, as it is searched with.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    steps: Vec<i16>,
    scale: f32,
}

impl Question {
    /// A question; `None` when [`unit`] refuses the vector.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let vector = unit(vector)?;
        let scale = largest(&vector) / STEPS;
        #[expect(clippy::cast_possible_truncation, reason = "from -1023 to 1023")]
        let steps = vector.iter().map(|x| (x / scale).round() as i16).collect();
        Some(Self { steps, scale })
    }

    /// How many dimensions it has.
    pub fn dimensions(&self) -> usize {
        self.steps.len()
    }

    /// Adds the messages of a block, each with its nearest passage.
    ///
    /// # Errors
    /// When the block was not written by [`encode`], with vectors of the same dimensions.
    pub fn compare(&self, block: Seq, bytes: &[u8], near: &mut Vec<Near>) -> Result<(), Corrupt> {
        let size = SCALE_BYTES + self.steps.len();
        let mut rest = bytes;
        while let Some(([place, count], entry)) = rest.split_first_chunk::<2>() {
            let (vectors, others) = entry.split_at_checked(usize::from(*count) * size).ok_or(Corrupt)?;
            rest = others;
            let seq = block.checked_mul(BLOCK).ok_or(Corrupt)?.saturating_add(Seq::from(*place) + 1);
            let similar = vectors.chunks_exact(size).enumerate().map(|(passage, vector)| {
                let (scale, values) = vector.split_first_chunk::<SCALE_BYTES>().unwrap_or((&[0; 4], &[]));
                Near { seq, passage, similarity: self.dot(values) * f32::from_le_bytes(*scale) * self.scale }
            });
            if let Some(nearest) = similar.max_by(|a, b| a.similarity.total_cmp(&b.similarity)) {
                near.push(nearest);
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(Corrupt) }
    }

    #[expect(clippy::cast_precision_loss, reason = "a similarity needs three digits")]
    fn dot(&self, values: &[u8]) -> f32 {
        // Whole numbers, because their sum may be taken in any order, many at a time.
        let products = self.steps.iter().zip(values).map(|(a, b)| i32::from(*a) * i32::from(b.cast_signed()));
        products.sum::<i32>() as f32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(question: &[f32], blocks: &[(Seq, Vec<u8>)]) -> Vec<Near> {
        let question = Question::new(question).unwrap();
        let mut near = Vec::new();
        for (block, bytes) in blocks {
            question.compare(*block, bytes, &mut near).unwrap();
        }
        near
    }

    #[test]
    fn a_message_is_found_with_its_nearest_passage() {
        let (east, north) = (vec![2.0, 0.0], vec![0.0, 0.5]);
        let messages = [vec![east.clone(), north.clone()], vec![], vec![north.clone()]];
        let near = find(&[1.0, 0.1], &encode(63, &messages));
        assert_eq!(near.iter().map(|n| (n.seq, n.passage)).collect::<Vec<_>>(), [(63, 0), (65, 0)]);
        assert!((near[0].similarity - 0.995).abs() < 0.01 && (near[1].similarity - 0.0995).abs() < 0.01);
        let blocks = encode(63, &messages);
        assert_eq!(blocks.iter().map(|(block, _)| *block).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(blocks[0].1.len(), 2 + 2 * (4 + 2));
    }

    #[test]
    fn what_is_no_vector_is_left_out() {
        for bad in [vec![], vec![0.0, 0.0], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0], vec![1.0; 4_097]] {
            assert_eq!(unit(&bad), None);
            assert_eq!(Question::new(&bad), None);
            assert!(encode(1, &[vec![bad]]).is_empty());
        }
        assert!(unit(&[f32::MAX, f32::MAX]).is_some_and(|v| (v[0] - 0.707).abs() < 0.001));
        assert!(unit(&[f32::MIN_POSITIVE, 0.0]).is_some());
    }

    #[test]
    fn bytes_of_other_dimensions_or_none_of_ours_are_refused() {
        let question = Question::new(&[1.0, 0.0, 0.0]).unwrap();
        let blocks = encode(1, &[vec![vec![1.0, 0.0]]]);
        assert!(question.compare(0, &blocks[0].1, &mut Vec::new()).is_err());
        assert!(question.compare(0, &[0], &mut Vec::new()).is_err());
        assert!(question.compare(Seq::MAX, &[0, 0], &mut Vec::new()).is_err());
        assert!(question.compare(0, &[], &mut Vec::new()).is_ok());
    }

    proptest! {
        #[test]
        fn similarities_are_those_of_the_originals(
            a in proptest::collection::vec(-1.0_f32..1.0, 32..400),
            seed in proptest::collection::vec(-1.0_f32..1.0, 400),
        ) {
            let b = &seed[..a.len()];
            let (Some(x), Some(y)) = (unit(&a), unit(b)) else { return Ok(()) };
            let exact: f32 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            let near = find(b, &encode(1, &[vec![a.clone()]]));
            prop_assert!((near[0].similarity - exact).abs() < 0.01, "{} {exact}", near[0].similarity);
        }

        #[test]
        fn any_bytes_are_read_in_bounds(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut near = Vec::new();
            let _ = Question::new(&[0.5, -0.5, 0.1]).unwrap().compare(3, &bytes, &mut near);
            prop_assert!(near.len() <= bytes.len());
        }
    }
}
