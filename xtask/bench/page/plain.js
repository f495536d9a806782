// The worker of `page-plain`: gemtab's without halves, subgroups and matrix units.

import "./features.js";
import "./worker.js";
