// Preloaded by counts.test.ts (`--import`): writes the address of every module that is loaded to the file SMITH_TRACE.
import { appendFileSync } from "node:fs";
import Module, { register } from "node:module";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

if (Module.isBuiltin !== undefined && process.env.SMITH_TRACE !== undefined) {
  const note = (url) => appendFileSync(process.env.SMITH_TRACE, `${url}\n`);
  // What CommonJS modules require does not pass through the hook.
  const load = Module._load;
  Module._load = function (request, parent, isMain) {
    note(`require:${request}`);
    return load.call(this, request, parent, isMain);
  };
  // Nor do the chunks of the bundle, which are scripts.
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options);
      if (options?.filename === undefined) return;
      note(pathToFileURL(options.filename));
      if (this.cachedDataRejected !== false) note(`compiled:${options.filename}`);
    }
  };
  register("./trace-hook.mjs", import.meta.url);
}
