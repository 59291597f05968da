import { z } from "zod";
import { createFault } from "./fault.ts";
import { HOOK_NAMES, type Plugin } from "./plugin.ts";

type Exports = Readonly<Record<string, unknown>>;

const NAME = /^[^\p{Cc}]{1,64}$/u;

/**
 * The plugin that a module exports: its default, then what it calls `plugin`, then the module itself.
 * @throws {PluginFault} when it exports none, or one that can't be taken whole: a guard under a misspelt name never runs.
 */
export function pluginIn(exported: Exports, entry: string): Plugin {
  const found = candidates(exported).find(isNamed);
  if (found === undefined)
    throw createFault(
      "plugin_module_has_no_plugin_export",
      entry,
      "export default { name, tools or hooks }, or the same as plugin",
    );
  const fault = shapeFault(found);
  if (fault !== null) throw createFault("plugin_has_wrong_shape", entry, fault);
  return found as unknown as Plugin;
}

/** A module by itself counts only with something in it: otherwise whatever exports a name would be a plugin. */
function candidates(exported: Exports): readonly unknown[] {
  const { default: whole, plugin } = exported;
  const compiled = isObject(whole) && whole["__esModule"] === true ? [whole["default"], whole["plugin"]] : [];
  const itself = "tools" in exported || "hooks" in exported ? [exported] : [];
  return [...compiled, whole, plugin, ...itself];
}

const isObject = (value: unknown): value is Exports => typeof value === "object" && value !== null;

const isNamed = (value: unknown): value is Exports =>
  isObject(value) && typeof value["name"] === "string" && value["name"].trim() !== "";

const Shape = z.object({
  name: z.string().regex(NAME, "expected at most 64 characters on one line"),
  version: z.string().optional(),
  tools: z.array(z.unknown()).optional(),
  hooks: z.strictObject(Object.fromEntries(HOOK_NAMES.map((name) => [name, z.function().optional()]))).optional(),
});

function shapeFault(plugin: Exports): string | null {
  // By way of a copy of what counts: a module's namespace, or an instance with more in it, is a plugin, too.
  const { name, version, tools, hooks } = plugin;
  const parsed = Shape.safeParse({ name, version, tools, hooks: isObject(hooks) ? { ...hooks } : hooks });
  return parsed.success ? null : z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, " ");
}
