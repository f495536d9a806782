// Delays every readback, and the end of submitted work, by 100 ms.

const DELAY_MS = 100;

for (const [type, name] of [[GPUBuffer, "mapAsync"], [GPUQueue, "onSubmittedWorkDone"]]) {
  const inTime = type.prototype[name];
  type.prototype[name] = async function (...given) {
    await inTime.apply(this, given);
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  };
}
