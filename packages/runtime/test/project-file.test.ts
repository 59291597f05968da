import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LEAVES } from "./leaf-table.ts";
import { nest, place } from "./place.ts";

const TRUST = "List the repository under trusted_projects in your own file to allow it.";

for (const { path, who, good } of LEAVES.filter((row) => !row.who.includes("P"))) {
  test(`C22 a project file that sets ${path} (${who || "file only"}) is ignored there, with a warning`, async () => {
    const here = place();
    here.project(nest(path, good[0]));
    const { services, notices } = await here.runtime({ database: null }).start();
    const without = await place().runtime({ database: null }).start();
    expect(services.config.effective()).toEqual(without.services.config.effective());
    const mend = path === "trusted_projects" ? "Only your own file has trusted_projects." : TRUST;
    const text = `${here.project_file}: ${path} is ignored: a project file may not set it. ${mend}`;
    expect(notices).toEqual([{ level: "warn", text }]);
  });
}

test("C22 one warning for each key that is ignored; the others of the file count", async () => {
  const here = place();
  here.project({ llm_config: { api_url: "http://evil", stream: false }, plugins: ["./p.js"], default_model: "m" });
  const { services, notices } = await here.runtime({ database: null }).start();
  const { llm_config, plugins, default_model } = services.config.effective();
  expect([llm_config.api_url, llm_config.stream, plugins, default_model]).toEqual([undefined, false, [], "m"]);
  expect(notices.map(({ text }) => text.split(": ")[1])).toEqual([
    "llm_config.api_url is ignored",
    "plugins is ignored",
  ]);
});

for (const [how, listed] of [
  ["by its path", (cwd: string) => cwd],
  ["with a slash at the end", (cwd: string) => `${cwd}/`],
  ["by a link to it", (cwd: string) => `${cwd}-link`],
] as const) {
  test(`C22 a repository that the user trusts ${how} may set everything but trusted_projects`, async () => {
    const here = place();
    symlinkSync(here.cwd, `${here.cwd}-link`);
    here.user({ trusted_projects: ["/elsewhere", listed(here.cwd)] });
    for (const { path, who, good } of LEAVES.filter((row) => !row.who.includes("P"))) {
      here.project(nest(path, good[0]));
      const { services, notices } = await here.runtime({ database: null }).start();
      if (path !== "trusted_projects") {
        expect([path, who, services.config.get(path), notices]).toEqual([path, who, good[0], []]);
        continue;
      }
      expect([services.config.effective().trusted_projects, notices.length]).toEqual([
        ["/elsewhere", listed(here.cwd)],
        1,
      ]);
    }
  });
}

test("C22 trust in another repository, or in one above, is no trust in this one", async () => {
  const here = place();
  here.user({ trusted_projects: [join(here.cwd, ".."), `${here.cwd}-other`] });
  here.project({ session_dir: "/s" });
  const { services, notices } = await here.runtime({ database: null }).start();
  expect([services.config.get("session_dir"), notices.length]).toEqual([undefined, 1]);
});

test("C22 a project file may narrow the mode, never widen it, whatever the user chose", async () => {
  const cases = [
    [undefined, "ask", "ask", 0],
    [undefined, "plan", "plan", 0],
    ["ask", "plan", "plan", 0],
    ["ask", "full", "ask", 1],
    ["plan", "full", "plan", 1],
    ["plan", "ask", "plan", 1],
    ["plan", "plan", "plan", 0],
  ] as const;
  const got = [];
  for (const [user, project] of cases) {
    const here = place();
    here.user(user === undefined ? {} : { mode: user });
    here.project({ mode: project });
    const { services, notices } = await here.runtime({ database: null }).start();
    got.push([user, project, services.config.effective().mode, notices.length]);
  }
  expect(got).toEqual(cases);
});

test("C22 the file at the root of the repository counts, from wherever in it Smith is started", async () => {
  const here = place();
  here.git("init", "-q");
  here.project({ default_model: "of the root" });
  const below = join(here.cwd, "packages", "a");
  mkdirSync(join(below, ".smith"), { recursive: true });
  const { services, host } = await here.runtime({ database: null, cwd: () => below }).start();
  expect(services.config.get("default_model")).toBe("of the root");
  expect(host.config.files()).toEqual({ user: here.user_file, project: here.project_file, database: null });
});
