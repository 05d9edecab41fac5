// A page alone.

import { settle } from "./reader.js";

settle(document.getElementById("reader"));
