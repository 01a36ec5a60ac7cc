/**
 * The commands that READMEs and guides print, run as they are printed in a copy of this checkout.
 *
 * The function that every page uses is called as it is printed once. Npm and pnpm took two thirds of the time of each
 * command, so that the pages are run with the bundled program in its place.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { program } from "../../apps/cli/test/shell.ts"

const root = join(import.meta.dirname, "../..")

/** Commands that are not run here, by page, each with the reason. */
const unrun: ReadonlyArray<{ readonly page: string; readonly begins: string; readonly because: string }> = [
  { page: "README.md", begins: "npx -y pnpm@12 demo", because: "the demo has a test of its own" },
  { page: "README.md", begins: "npx -y pnpm@12 test", because: "it is what runs this" },
  {
    page: "examples/travel-booking/README.md",
    begins: "npx -y pnpm@12 demo",
    because: "the demo has a test of its own"
  },
  { page: "examples/travel-booking/README.md", begins: "npx -y pnpm@12 exec node", because: "minutes, or never ends" },
  { page: "examples/travel-booking/README.md", begins: "curl", because: "its world takes a fixed port" },
  { page: "examples/travel-booking/README.md", begins: "backstitch", because: "its world takes a fixed port" },
  { page: "examples/travel-booking/README.md", begins: "until", because: "its world takes a fixed port" },
  { page: "examples/travel-booking/README.md", begins: "kill", because: "its world takes a fixed port" },
  { page: "examples/bank/README.md", begins: "npx", because: "minutes of killed processes" },
  { page: "examples/airline/README.md", begins: "npx", because: "the data is not in the repository" },
  { page: "examples/airline/README.md", begins: "backstitch", because: "the data is not in the repository" },
  { page: "examples/coding/README.md", begins: "npx", because: "the data is not in the repository" },
  { page: "examples/recorded/README.md", begins: "npx", because: "the data is not in the repository" },
  { page: "examples/topologies/README.md", begins: "npx", because: "minutes of killed processes" },
  { page: "examples/travel-planner/README.md", begins: "npx", because: "the data is not in the repository" },
  { page: "examples/verification-patterns/README.md", begins: "npx", because: "its tests run with all others" }
]

/** Commands that end with another code than 0, by page, each with the reason. */
const refused: ReadonlyArray<{ readonly page: string; readonly names: string; readonly because: string }> = [
  { page: "docs/guides/my-first-contract.md", names: "audit examples/first-contract/1-", because: "it would be held" },
  { page: "docs/guides/recovery.md", names: "FORM_FULL=tuesday", because: "a slot is refused" },
  { page: "docs/guides/recovery.md", names: "why-blocked", because: "it is blocked" },
  { page: "examples/form/README.md", names: "FORM_FULL=tuesday", because: "a slot is refused" },
  { page: "examples/form/README.md", names: "why-blocked", because: "it is blocked" },
  { page: "docs/guides/revisions.md", names: "plan event-7 --set city=Bern # blocked", because: "it is blocked" },
  { page: "examples/event-planning/README.md", names: "plan event-7 --set city=Bern", because: "it is blocked" },
  { page: "docs/guides/which-failure-is-this.md", names: "doctor", because: "it finds something" },
  { page: "docs/guides/several-agents.md", names: "doctor", because: "it finds something" },
  { page: "examples/topologies/README.md", names: "doctor", because: "it finds something" }
]

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)))

const pages = files.filter((file) => /^(README|docs\/guides\/[^/]+|examples\/[^/]+\/README)\.md$/.test(file))

/** Lines of the blocks of shell text; continued lines are joined. */
const commandsOf = (page: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\\n", " ")
      .split("\n")
      .filter((line) => line.trim() !== "")
  )

const isDefinition = (line: string): boolean => line.startsWith("backstitch()")

const folder = mkdtempSync(join(tmpdir(), "backstitch-clone-"))
const clone = join(folder, "clone")

/** The checkout as a fresh clone, with the files that an installation adds. */
beforeAll(() => {
  for (const file of files) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"))
  for (const file of files.filter((each) => each.endsWith("package.json") && each.includes("/"))) {
    const modules = join(dirname(file), "node_modules")
    if (existsSync(join(root, modules)))
      cpSync(join(root, modules), join(clone, modules), { recursive: true, verbatimSymlinks: true })
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const definition = commandsOf("README.md").find(isDefinition) ?? ""

/** The same function and `npx -y pnpm@12 exec` without npm and pnpm. */
const direct = `
backstitch() { "$NODE" "$PROGRAM" "$@"; }
npx() { [ "$3" = exec ] || return 127; shift 3; PATH="$PWD/node_modules/.bin:$PATH" "$@"; }`

const run = (page: string, line: string, preamble = direct) =>
  spawnSync("bash", ["-c", `${preamble}\n${line}`], {
    cwd: clone,
    encoding: "utf8",
    env: {
      ...process.env,
      NODE: process.execPath,
      PROGRAM: program(),
      BACKSTITCH_STORE: join(folder, `${page.replaceAll("/", "-")}.db`),
      pnpm_config_verify_deps_before_run: "false"
    }
  })

describe("the commands of a page", () => {
  it("are written in one form, which the README defines", () => {
    assert.match(definition, /^backstitch\(\) \{ npx -y pnpm@12 --silent backstitch "\$@"; \}/)
    for (const page of pages) {
      for (const line of commandsOf(page)) {
        assert.match(line, /^(?:[A-Z_]+=\S+ )?(backstitch|npx -y pnpm@12|curl|until|kill) ?/, `${page}: ${line}`)
      }
    }
  })

  it("reach the program of the checkout by the function that the README defines", () => {
    const line = commandsOf("README.md").find((each) => each.startsWith("backstitch ")) ?? ""
    const { status, stderr, stdout } = run("as-printed", line, definition)
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stdout, run("direct", line).stdout)
  })

  it("are left out for a reason that still applies", () => {
    for (const { begins, page } of unrun) {
      assert.isTrue(
        commandsOf(page).some((line) => line.startsWith(begins)),
        `${page}: ${begins}`
      )
    }
  })

  for (const page of pages) {
    const lines = commandsOf(page).filter(
      (line) => !isDefinition(line) && !unrun.some((each) => each.page === page && line.startsWith(each.begins))
    )
    it.runIf(lines.length > 0)(`work as printed, one after the other: ${page}`, () => {
      for (const line of lines) {
        const { status, stderr, stdout } = run(page, line)
        const code = refused.some((each) => each.page === page && line.includes(each.names)) ? 1 : 0
        assert.strictEqual(status, code, `${line}\n${stdout}\n${stderr}`)
        assert.notStrictEqual(stdout, "", line)
      }
    })
  }
})
