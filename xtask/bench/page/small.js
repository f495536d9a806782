// The worker of `page-host`: gemtab's on a device whose buffers have 256 MiB. It is taken to have eight times as much memory,
// which the decoder of E2B fits into, and its per-layer table does not.

import "./limits.js";
import "./worker.js";
