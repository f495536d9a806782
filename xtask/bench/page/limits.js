// Lowers what every device says of its largest buffer.

for (const name of ["maxBufferSize", "maxStorageBufferBindingSize"]) {
  Object.defineProperty(GPUSupportedLimits.prototype, name, { get: () => 1 << 28 });
}
