// Sigmoid, and SiLU = x·sigmoid(x). The exponent is clamped to the range of f32 to avoid infinities.

fn sigmoid4(x: vec4<f32>) -> vec4<f32> {
    return 1.0 / (1.0 + exp(clamp(-x, vec4<f32>(-88.0), vec4<f32>(88.0))));
}

fn silu4(x: vec4<f32>) -> vec4<f32> {
    return x * sigmoid4(x);
}
