// Epilogue: y = dot, for one to three matrices with the same x.
