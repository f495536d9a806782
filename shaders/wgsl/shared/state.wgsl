// The state of a step: position and lengths (`shaders::state::State`).

{{STATE}}
