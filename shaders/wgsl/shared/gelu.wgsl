// GELU in its tanh form: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))); Gemma 4 specification §2.3.
// As 0.5·(1 + tanh u) = 1/(1 + e^(−2u)), one exponential suffices; the result saturates to 0 and x. The exponent is
// clamped to the range of f32 to avoid infinities.

fn gelu_tanh(x: f32) -> f32 {
    let u = 0.7978845608 * (x + 0.044715 * x * x * x);
    return x / (1.0 + exp(clamp(-2.0 * u, -88.0, 88.0)));
}

fn gelu_tanh4(x: vec4<f32>) -> vec4<f32> {
    let u = 0.7978845608 * (x + 0.044715 * x * x * x);
    return x / (1.0 + exp(clamp(-2.0 * u, vec4<f32>(-88.0), vec4<f32>(88.0))));
}
