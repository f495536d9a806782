//! GGUF adapters, as written and read by llama.cpp, and as Ollama stores them in adapter layers.

use std::io::Write;

use shaders::{DType, quant};

use super::halves::{Key, Reading};
use super::pairs::{Half, Pairs, Side};
use super::{Adapter, AdapterError, Target};
use crate::bytes::ByteSource;
use crate::gguf::{Family, Header, TensorInfo, TensorSpec, WriteValue, Writer};

/// Reads a GGUF adapter.
///
/// # Errors
/// When the file is broken, is not a LoRA adapter of Gemma 4 or Gemma 3, or uses an unsupported feature.
pub async fn read(source: &dyn ByteSource) -> Result<Adapter, AdapterError> {
    let header = Header::read(source).await?;
    let meta = &header.metadata;
    let kind = (meta.str("general.type").unwrap_or("model"), meta.str("adapter.type").unwrap_or("none"));
    if kind != ("adapter", "lora") {
        let reason = format!("general.type is {:?}, adapter.type {:?}", kind.0, kind.1);
        return Err(AdapterError::NotAnAdapter { reason });
    }
    let architecture = header.architecture().unwrap_or("none");
    let found = || AdapterError::Architecture { found: architecture.to_owned() };
    let family = Family::of(architecture).ok_or_else(found)?;
    if meta.0.contains_key("adapter.alora.invocation_tokens") {
        return Err(AdapterError::Unsupported { what: "invocation tokens (activated LoRA)".into() });
    }
    let alpha = meta.try_f32("adapter.lora.alpha");
    let alpha =
        alpha.map_err(|wrong| AdapterError::NotAnAdapter { reason: wrong.to_string() })?.unwrap_or(0.0);
    if !alpha.is_finite() {
        return Err(AdapterError::NotFinite { tensor: "adapter.lora.alpha".into() });
    }

    let mut pairs = Pairs::default();
    for info in &header.tensors {
        // Norms that converters include are not applied by llama.cpp either.
        if info.name.ends_with("_norm.weight") {
            continue;
        }
        let (key, side) = target_of(&info.name)?;
        let (experts, shape) = match *info.shape.as_slice() {
            [columns, rows] => (1, [rows, columns]),
            [columns, rows, experts] if key.0.projection.is_of_experts() => (experts, [rows, columns]),
            _ => {
                let what = format!("a stack of matrices ({})", info.name);
                return Err(AdapterError::Unsupported { what });
            }
        };
        pairs.add(key, side, Half { tensor: info.name.clone(), experts, shape, reference: info })?;
    }
    let mut reading = Reading::default();
    for pair in pairs.finish()? {
        let a = values(source, pair.halves[0].reference).await?;
        let b = values(source, pair.halves[1].reference).await?;
        // 0 means a factor of one: only the user's scale applies.
        let scale = if alpha == 0.0 { 1.0 } else { alpha / pair.rank as f32 };
        pair.put(&mut reading, a, b, scale)?;
    }
    Ok(reading.finish()?.of(family))
}

fn target_of(name: &str) -> Result<(Key, Side), AdapterError> {
    let sides = [(".lora_a", Side::A), (".lora_b", Side::B)];
    let side = sides.into_iter().find_map(|(end, side)| name.strip_suffix(end).map(|base| (base, side)));
    let (base, side) =
        side.ok_or_else(|| AdapterError::NotAnAdapter { reason: format!("it holds the tensor {name}") })?;
    let key = base.strip_suffix(".weight").and_then(Target::part_of_matrix);
    let key = key.ok_or_else(|| AdapterError::Unsupported { what: format!("an adapter of {base}") })?;
    Ok((key, side))
}

async fn values(source: &dyn ByteSource, info: &TensorInfo) -> Result<Vec<f32>, AdapterError> {
    let storage = || AdapterError::Storage { tensor: info.name.clone(), dtype: info.dtype.to_string() };
    let dtype = info.dtype.known().ok_or_else(storage)?;
    let bytes = source.read(info.range()).await?.to_vec();
    // The header was checked: the number of elements matches the bytes.
    let mut values = vec![0.0; info.elements() as usize];
    quant::dequantize(dtype, &bytes, &mut values).map_err(|_| storage())?;
    Ok(values)
}

/// Writes an adapter as a GGUF file in f32. The format has a single α; if scales need several, the difference is
/// multiplied into B.
///
/// # Errors
/// When writing fails.
pub fn write<W: Write>(adapter: &Adapter, name: &str, out: W) -> Result<W, AdapterError> {
    let alpha = adapter.iter().next().map_or(0.0, |(_, f)| f.scale * f.rank as f32);
    // An α of zero would be read as a scale of one.
    let alpha = if alpha == 0.0 { 1.0 } else { alpha };
    let text = |key: &str, value: &str| (key.to_owned(), WriteValue::String(value.to_owned()));
    let metadata = [
        text("general.type", "adapter"),
        text("general.architecture", adapter.family().architecture()),
        text("general.name", name),
        text("adapter.type", "lora"),
        ("adapter.lora.alpha".to_owned(), WriteValue::F32(alpha)),
    ];
    let mut specs = Vec::with_capacity(2 * adapter.len());
    for (target, f) in adapter.iter() {
        let [rank, input, output] = [f.rank, f.input, f.output].map(u64::from);
        let experts = target.projection.is_of_experts().then(|| u64::from(f.experts()));
        for (side, matrix) in [("a", [input, rank]), ("b", [rank, output])] {
            let shape: Vec<_> = matrix.into_iter().chain(experts).collect();
            specs.push(TensorSpec::new(format!("{target}.weight.lora_{side}"), &shape, DType::F32));
        }
    }
    let mut writer = Writer::new(out, &metadata, &specs)?;
    for (_, f) in adapter.iter() {
        writer.write(bytemuck::cast_slice(&f.a))?;
        let factor = f.scale * f.rank as f32 / alpha;
        if factor == 1.0 {
            writer.write(bytemuck::cast_slice(&f.b))?;
        } else {
            let scaled: Vec<f32> = f.b.iter().map(|v| v * factor).collect();
            writer.write(bytemuck::cast_slice(&scaled))?;
        }
    }
    Ok(writer.finish()?)
}
