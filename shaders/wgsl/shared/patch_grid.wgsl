// The size of an image in patches (`shaders::vision::PatchGrid`).

{{PATCH_GRID}}
