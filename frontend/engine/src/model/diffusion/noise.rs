//! The random numbers of a block: what its first canvas is, what samples are drawn by, and what takes the places that are
//! not accepted. A number follows from seed, block, step and position alone, so that an answer can be repeated.

use safetensors::SafeTensors;

use crate::model::DenoisingError;
use crate::split_mix::mix;

/// What a number is for.
#[derive(Clone, Copy)]
enum Stream {
    Canvas,
    Uniform,
    Renoise,
}

/// Random numbers that were recorded, in place of drawn ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The first canvas.
    pub canvas: Vec<u32>,
    /// Those of each step.
    pub steps: Vec<RecordedStep>,
}

/// The numbers of a step, one for each position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedStep {
    /// What samples are drawn by, in 0..1.
    pub uniform: Vec<f32>,
    /// Ids for the places that are not accepted.
    pub renoise: Vec<u32>,
}

/// Why recorded numbers cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum NoiseError {
    /// Not a safetensors file.
    #[error(transparent)]
    File(#[from] safetensors::SafeTensorError),
    /// A tensor of another type or length, or an id that is none.
    #[error("the tensor {name} does not hold {canvas} {expected}")]
    Tensor { name: String, canvas: usize, expected: &'static str },
}

impl Recorded {
    /// Reads `step0.canvas_in`, and `stepN.uniform` (f32) and `stepN.renoise` (i32) for as many steps as there are.
    ///
    /// # Errors
    /// [`NoiseError`]; every tensor must have a number for each position of the first canvas.
    pub fn read(bytes: &[u8]) -> Result<Self, NoiseError> {
        let file = SafeTensors::deserialize(bytes)?;
        let canvas = ids(&file, "step0.canvas_in", None)?;
        let len = canvas.len();
        let mut steps = Vec::new();
        while file.tensor(&format!("step{}.uniform", steps.len())).is_ok() {
            let name = |part: &str| format!("step{}.{part}", steps.len());
            let uniform: Vec<f32> = words(&file, &name("uniform"), safetensors::Dtype::F32, Some(len))?;
            steps.push(RecordedStep { uniform, renoise: ids(&file, &name("renoise"), Some(len))? });
        }
        Ok(Self { canvas, steps })
    }
}

fn words<T: bytemuck::Pod>(
    file: &SafeTensors<'_>,
    name: &str,
    dtype: safetensors::Dtype,
    len: Option<usize>,
) -> Result<Vec<T>, NoiseError> {
    let tensor = file.tensor(name)?;
    let count = tensor.data().len() / 4;
    let canvas = len.unwrap_or(count);
    if tensor.dtype() != dtype || count != canvas || canvas == 0 {
        let expected = if dtype == safetensors::Dtype::F32 { "numbers (F32)" } else { "ids (I32)" };
        return Err(NoiseError::Tensor { name: name.to_owned(), canvas, expected });
    }
    Ok(bytemuck::pod_collect_to_vec(tensor.data()))
}

fn ids(file: &SafeTensors<'_>, name: &str, len: Option<usize>) -> Result<Vec<u32>, NoiseError> {
    let ids: Vec<i32> = words(file, name, safetensors::Dtype::I32, len)?;
    let canvas = ids.len();
    let wrong = || NoiseError::Tensor { name: name.to_owned(), canvas, expected: "ids (I32)" };
    ids.into_iter().map(|id| u32::try_from(id).map_err(|_| wrong())).collect()
}

/// Where the random numbers of an answer come from.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Makes them repeatable.
    pub seed: u64,
    /// Numbers of the first block that are taken in place of drawn ones, as far as they go.
    pub recorded: Option<Recorded>,
}

impl Noise {
    /// Checks recorded numbers: they are for canvases of `len` positions, and all ids are below `vocabulary`.
    ///
    /// # Errors
    /// [`DenoisingError`] when they are not.
    pub fn check(&self, len: u32, vocabulary: u32) -> Result<(), DenoisingError> {
        let Some(recorded) = &self.recorded else { return Ok(()) };
        let wrong = |value: u32, expected| DenoisingError {
            key: "recorded noise",
            value: value.to_string(),
            expected,
        };
        let steps = || recorded.steps.iter();
        let lengths = steps().flat_map(|step| [step.uniform.len(), step.renoise.len()]);
        let mut lengths = lengths.chain([recorded.canvas.len()]);
        if lengths.any(|found| found != len as usize) {
            return Err(wrong(recorded.canvas.len() as u32, "there must be a number for each position"));
        }
        let mut ids = steps().flat_map(|step| &step.renoise).chain(&recorded.canvas);
        match ids.find(|&&id| id >= vocabulary) {
            Some(&id) => Err(wrong(id, "ids must be of the vocabulary")),
            None => Ok(()),
        }
    }

    /// Returns the first canvas of a block: ids below `vocabulary`.
    pub fn canvas(&self, block: u32, len: u32, vocabulary: u32) -> Vec<u32> {
        match self.of_first(block) {
            Some(recorded) => recorded.canvas.clone(),
            None => self.ids(Stream::Canvas, [block, 0], len, vocabulary),
        }
    }

    /// What the samples of a step are drawn by, above 0 and below 1.
    pub fn uniform(&self, block: u32, step: u32, len: u32) -> Vec<f32> {
        match self.of_first(block).and_then(|recorded| recorded.steps.get(step as usize)) {
            Some(recorded) => recorded.uniform.clone(),
            None => {
                let number = |word: u64| ((word >> 41) as f32 + 0.5) / (1_u64 << 23) as f32;
                self.words(Stream::Uniform, [block, step], len).map(number).collect()
            }
        }
    }

    /// What takes the places that a step does not accept.
    pub fn renoise(&self, block: u32, step: u32, len: u32, vocabulary: u32) -> Vec<u32> {
        match self.of_first(block).and_then(|recorded| recorded.steps.get(step as usize)) {
            Some(recorded) => recorded.renoise.clone(),
            None => self.ids(Stream::Renoise, [block, step], len, vocabulary),
        }
    }

    fn of_first(&self, block: u32) -> Option<&Recorded> {
        self.recorded.as_ref().filter(|_| block == 0)
    }

    fn ids(&self, stream: Stream, at: [u32; 2], len: u32, vocabulary: u32) -> Vec<u32> {
        let id = |word: u64| (((word >> 32) * u64::from(vocabulary)) >> 32) as u32;
        self.words(stream, at, len).map(id).collect()
    }

    /// Returns a hash of all that a number follows from.
    fn words(&self, stream: Stream, [block, step]: [u32; 2], len: u32) -> impl Iterator<Item = u64> {
        let of_step = mix(mix(self.seed) ^ (u64::from(block) << 32 | u64::from(step)));
        let of_stream = mix(of_step ^ stream as u64);
        (0..len).map(move |position| mix(of_stream ^ u64::from(position)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_seed_block_and_step_alone() {
        let noise = Noise { seed: 7, recorded: None };
        assert_eq!(noise.uniform(1, 2, 64), noise.clone().uniform(1, 2, 64));
        let canvas = noise.canvas(0, 64, 1000);
        let others = [noise.canvas(1, 64, 1000), Noise { seed: 8, recorded: None }.canvas(0, 64, 1000)];
        assert!(others.iter().all(|other| *other != canvas));
        assert_ne!(noise.renoise(0, 0, 64, 1000), canvas);
        assert_ne!(noise.renoise(0, 1, 64, 1000), noise.renoise(0, 0, 64, 1000));
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let noise = Noise::default();
        let count = 100_000;
        let uniform = noise.uniform(0, 0, count);
        assert!(uniform.iter().all(|&u| u > 0.0 && u < 1.0));
        let mean = uniform.iter().map(|&u| f64::from(u)).sum::<f64>() / f64::from(count);
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let mut counts = [0_u32; 7];
        noise.canvas(0, count, 7).iter().for_each(|&id| counts[id as usize] += 1);
        let share = |&found: &u32| (f64::from(found) / f64::from(count) - 1.0 / 7.0).abs() < 0.005;
        assert!(counts.iter().all(share), "{counts:?}");
    }

    #[test]
    fn recorded_numbers_come_first() {
        let step = RecordedStep { uniform: vec![0.5], renoise: vec![3] };
        let recorded = Recorded { canvas: vec![9], steps: vec![step] };
        let drawn = Noise { seed: 1, recorded: None };
        let noise = Noise { recorded: Some(recorded), ..drawn.clone() };
        assert_eq!((noise.canvas(0, 1, 10), noise.canvas(1, 1, 10)), (vec![9], drawn.canvas(1, 1, 10)));
        assert_eq!((noise.uniform(0, 0, 1), noise.renoise(0, 0, 1, 10)), (vec![0.5], vec![3]));
        assert_eq!(noise.uniform(0, 1, 1), drawn.uniform(0, 1, 1));
        assert_eq!((noise.check(1, 10), drawn.check(7, 10)), (Ok(()), Ok(())));
        assert!(noise.check(2, 10).is_err() && noise.check(1, 9).is_err());
    }

    #[test]
    fn recorded_numbers_that_contradict_themselves_are_refused() {
        use safetensors::Dtype::{F32, I32};
        use safetensors::tensor::TensorView;
        let file = |tensors: &[(&str, safetensors::Dtype, Vec<u8>)]| {
            let view = |(name, dtype, data): &(&str, safetensors::Dtype, Vec<u8>)| {
                let view = TensorView::new(*dtype, vec![data.len() / 4], data.clone().leak());
                ((*name).to_owned(), view.expect("a tensor"))
            };
            safetensors::serialize(tensors.iter().map(view), None).expect("a file")
        };
        let ids = |ids: &[i32]| bytemuck::cast_slice(ids).to_vec();
        let canvas = ("step0.canvas_in", I32, ids(&[1, 2]));
        let uniform = ("step0.uniform", F32, bytemuck::cast_slice(&[0.5_f32, 0.25]).to_vec());
        let renoise = ("step0.renoise", I32, ids(&[3, 4]));
        let good = Recorded::read(&file(&[canvas.clone(), uniform.clone(), renoise.clone()]));
        let step = RecordedStep { uniform: vec![0.5, 0.25], renoise: vec![3, 4] };
        assert_eq!(good.expect("numbers"), Recorded { canvas: vec![1, 2], steps: vec![step] });
        let wrong = [
            vec![uniform.clone(), renoise.clone()],
            vec![canvas.clone(), uniform.clone()],
            vec![canvas.clone(), uniform.clone(), ("step0.renoise", I32, ids(&[3]))],
            vec![canvas.clone(), uniform.clone(), ("step0.renoise", I32, ids(&[3, -4]))],
            vec![canvas, ("step0.uniform", I32, ids(&[3, 4])), renoise],
        ];
        for tensors in wrong {
            Recorded::read(&file(&tensors)).expect_err("no numbers");
        }
    }
}
