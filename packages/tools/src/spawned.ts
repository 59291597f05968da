import type { ChildProcess } from "node:child_process";

/** The child, once the system has started it. @throws what the system answered, when it could not. */
export async function spawned<C extends ChildProcess>(child: C): Promise<C> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  return child;
}
