// The worker of `page-late`: gemtab's on a device that reports readbacks late, as where a browser polls it.

import "./delay.js";
import "./worker.js";
