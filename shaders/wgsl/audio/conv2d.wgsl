// Subsampling convolution of the audio tower: 3×3 with stride 2 over time and frequency, layer norm over channels,
// ReLU.
//
//   z[p][f][c] = Σ_{a,b,i} w[c][i][a][b]·x[2p + a][2f − 1 + b][i]
//   y[p][f][c] = max(0, (z − mean_c z)·(mean_c (z − mean_c z)² + eps)^-½·g[c])
//
// x        f32 [2·rows + 1, freq_in, channels_in]; zero beyond its frequencies. Its first row is one before the centre
//          of output row 0. The caller fills rows outside of the clip with zeros.
// y        f32 [rows, freq_out, channels]. Row p is position params.first + p of the clip. Rows outside of
//          0..params.end are zeros: the padding of the next convolution.
// vectors  f32: w [channels, channels_in, 3 (time), 3 (frequency)] from params.weights, g [channels] from params.norm
//
// A thread computes CHANNELS/8 channels of one frequency. Input channels pass through workgroup memory, CHUNK at a
// time.
//
// Formula: Gemma 4 specification §10.2.
// Workgroup: 32 frequencies × 8 groups of channels. Grid: (⌈freq_out / 32⌉, rows).

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> vectors: array<f32>;
var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

const CHANNELS: u32 = {{CHANNELS}}u;
const OWN: u32 = {{OWN}}u;     // CHANNELS / 8
const CHUNK: u32 = {{CHUNK}}u;
const COLUMNS: u32 = 65u;      // frequencies of the input for 32 of the output

var<workgroup> tile: array<f32, CHUNK * 3u * COLUMNS>; // [CHUNK][3][COLUMNS]
var<workgroup> partial: array<f32, 256>;

// The sum over all channel groups of one frequency.
fn sum_of_channels(value: f32, lane: u32, tid: u32) -> f32 {
    partial[tid] = value;
    workgroupBarrier();
    var sum = 0.0;
    for (var group = 0u; group < 8u; group += 1u) {
        sum += partial[group * 32u + lane];
    }
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let lane = tid % 32u;
    let group = tid / 32u;
    let row = wid.y;
    let f = wid.x * 32u + lane;
    let out = (row * params.freq_out + f) * CHANNELS + group * OWN;
    let position = params.first + i32(row);
    if (position < 0 || position >= params.end) {
        if (f < params.freq_out) {
            for (var i = 0u; i < OWN; i += 1u) {
                y[out + i] = 0.0;
            }
        }
        return;
    }

#for i in 0..OWN
    var z{{i}} = 0.0;
#endfor
    for (var c0 = 0u; c0 < params.channels_in; c0 += CHUNK) {
        for (var i = tid; i < CHUNK * 3u * COLUMNS; i += 256u) {
            // Neighbouring threads read neighbouring channels.
            let c = i % CHUNK;
            let column = i / CHUNK % COLUMNS;
            let a = i / (CHUNK * COLUMNS);
            // Frequency −1 is padding.
            let f_in = wid.x * 64u + column;
            var value = 0.0;
            if (f_in > 0u && f_in <= params.freq_in) {
                value = x[((2u * row + a) * params.freq_in + f_in - 1u) * params.channels_in + c0 + c];
            }
            tile[(c * 3u + a) * COLUMNS + column] = value;
        }
        workgroupBarrier();
        for (var c = 0u; c < CHUNK; c += 1u) {
            let w = params.weights + (group * OWN * params.channels_in + c0 + c) * 9u;
            let next = params.channels_in * 9u;
            for (var tap = 0u; tap < 9u; tap += 1u) {
                let value = tile[(c * 3u + tap / 3u) * COLUMNS + 2u * lane + tap % 3u];
#for i in 0..OWN
                z{{i}} += value * vectors[w + {{i}}u * next + tap];
#endfor
            }
        }
        workgroupBarrier();
    }

    var own = 0.0;
#for i in 0..OWN
    own += z{{i}};
#endfor
    let mean = sum_of_channels(own, lane, tid) / f32(CHANNELS);
    own = 0.0;
#for i in 0..OWN
    own += (z{{i}} - mean) * (z{{i}} - mean);
#endfor
    let factor = inverseSqrt(sum_of_channels(own, lane, tid) / f32(CHANNELS) + params.eps);
    if (f < params.freq_out) {
        let g = params.norm + group * OWN;
#for i in 0..OWN
        y[out + {{i}}u] = max(0.0, (z{{i}} - mean) * factor * vectors[g + {{i}}u]);
#endfor
    }
}
