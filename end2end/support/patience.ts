// How long tests wait for what has to come.

/** Milliseconds, on this machine and with GEMTAB_SLOW on a slow one. */
export const patience = (usual: number, slow: number): number => (process.env.GEMTAB_SLOW ? slow : usual);

/** A load compiles every kernel, and a software adapter on a busy machine takes its time over that. */
export const LOAD = patience(120_000, 480_000);
/** An answer of a few dozen tokens, under the same circumstances. */
export const ANSWER = patience(120_000, 480_000);
/** A training of a few steps. */
export const TRAIN = patience(225_000, 900_000);
/** What the page does without its graphics device. */
export const SOON = patience(30_000, 120_000);
