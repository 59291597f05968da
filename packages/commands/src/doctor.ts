import type { CommandAnswer } from "@smith/contract/command";
import type { Check } from "@smith/contract/doctor";
import { type Command, misuse } from "./command.ts";

/** `/doctor` and `smith doctor`. */
export const doctor: Command = {
  name: "doctor",
  summary: "look at everything Smith needs; what is broken, and how to mend it",
  usage: ["[--json]"],
  example: "doctor",
  doors: ["slash", "cli"],
  flags: [{ name: "json", description: "as JSON" }],
  async run({ words }, host) {
    return words.length > 0 ? misuse(doctor) : showChecks(await host.doctor.checks());
  },
};

/** Not ok when something needed is broken. */
export function showChecks(checks: readonly Check[]): CommandAnswer {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const broken = checks.filter(({ ok }) => !ok).length;
  const lines = checks.flatMap(({ name, ok, detail, mend }) => {
    const indent = " ".repeat(width + 4);
    const [first = "", ...rest] = detail.split("\n");
    return [
      `${ok ? (mend === null ? "✓" : "!") : "✗"} ${name.padEnd(width)}  ${first}`,
      ...rest.map((line) => indent + line),
      ...(mend ?? "").split("\n").flatMap((line) => (line === "" ? [] : [`${indent}→ ${line}`])),
    ];
  });
  const end = broken === 0 ? "Nothing is broken." : `${broken} of ${checks.length} checks found something broken.`;
  return { say: [...lines, end].join("\n"), data: { checks }, ok: broken === 0 };
}
