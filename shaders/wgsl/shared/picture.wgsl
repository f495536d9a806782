// The grid of the picture that a vision kernel works on; the Rust mirror is `shaders::vision::Picture`.

struct Picture {
    columns: u32, // patches of a row of the picture
    rows: u32,    // rows of patches
}
