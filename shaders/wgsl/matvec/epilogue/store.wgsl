// Epilogue: y = dot, for one to three matrices that share x.
