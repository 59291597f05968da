import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, parseJson, textOf, type WireObject } from "./wire.ts";

/** Package names as npm has them. What is no name could be a path out of the folders that are looked in. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

export const isPackageName = (name: string): boolean => NAME.test(name);

/** The folder of an installed package, in the `node_modules` of the first of the folders that has it; null in none. */
export function findPackageFolder(name: string, folders: readonly string[]): string | null {
  if (!isPackageName(name)) return null;
  return folders.map((folder) => join(folder, "node_modules", name)).find(isPackage) ?? null;
}

const isPackage = (folder: string): boolean =>
  statSync(join(folder, "package.json"), { throwIfNoEntry: false })?.isFile() === true;

/** `folder` and those above it. */
export function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

/** The file that an import of the package in this folder means. */
export function entryFile(folder: string): string {
  const manifest = parseJson(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, isObject(manifest) ? entryOf(manifest) : "index.js");
}

function entryOf({ exports, module, main }: WireObject): string {
  const whole = isObject(exports) ? (exports["."] ?? exports) : exports;
  return targetOf(whole) ?? (textOf(module) || textOf(main) || "index.js");
}

function targetOf(target: unknown): string | null {
  if (typeof target === "string") return target;
  if (!isObject(target)) return null;
  return targetOf(target["node"] ?? target["import"] ?? target["default"] ?? target["require"]);
}
