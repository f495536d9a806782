// An expert that the router chose for a token (`shaders::experts::Choice`).

{{CHOICE}}
