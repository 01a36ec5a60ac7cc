/**
 * Runs every command with one word of its line exchanged for another, in one process, and prints what nobody foresaw.
 *
 * `node slips.ts FOLDER`: the folder is emptied, filled with the files that words may name, and is where it works.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import type * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { called, root } from "../src/Cli.ts"
import * as CompletionTree from "../src/commands/shell/CompletionTree.ts"
import * as StoreFile from "../src/input/StoreFile.ts"
import * as Platform from "../src/program/Platform.ts"
import * as Failure from "../src/terminal/Failure.ts"
import * as UsageHelp from "../src/terminal/UsageHelp.ts"
import { fixture } from "./shell.ts"

const [, , folder = ""] = process.argv
const template = `${folder}-template`
const store = join(folder, ".backstitch/trace.db")
const [agent, pack] = [fixture("agent.ts"), fixture("pack.yaml")]

/** They wait for what happens, and end when somebody stops them. */
const waiting: ReadonlySet<string> = new Set(["collect", "mcp-proxy", "mcp-server", "watch"])

/** A line of each command that gets far. */
const lines: Readonly<Record<string, ReadonlyArray<string>>> = {
  action: ["a4", "--run", "trip"],
  anchor: [],
  approvals: [],
  approve: ["trip", "r1", "--by", "Ada", "--role", "x"],
  audit: [pack],
  bisect: ["trip", "--predicate", "world.spent > 1"],
  blame: ["trip", "world.spent"],
  "cherry-pick": ["trip@3", "--onto", "other", "--dry-run"],
  completions: ["bash"],
  contributors: ["trip", "--predicate", "world.spent > 1"],
  deliver: ["object.json", "--agent", agent, "--signature", "x", "--tool", "order"],
  deny: ["trip", "r1", "--by", "Ada", "--role", "x"],
  diff: ["trip", "other"],
  erase: ["--subject", "x", "--dry-run"],
  explain: ["trip@3", "--pack", pack],
  export: ["trip"],
  fixture: ["trip", "--agent", agent, "--out", "fixture"],
  fork: ["trip", "--from", "3", "--as", "forked"],
  gate: ["--against", ".backstitch/trace.db", "--pack", pack],
  checkpoints: ["trip"],
  claims: [],
  doctor: ["trip"],
  drill: [pack],
  inject: ["trip", "--set", "max=3", "--dry-run"],
  instances: ["trip"],
  import: ["trip.jsonl"],
  "key create": ["--name", "Ada", "--role", "approver", "--as", "manager"],
  "key list": [],
  "key revoke": ["0123456789abcdef"],
  ledger: ["trip"],
  log: ["trip"],
  metrics: ["trip"],
  "pack boundaries": [pack],
  "pack check": [pack],
  "pack copy": [],
  "pack extend": ["trip", "object.json", "--approved-by", "Ada"],
  "pack schema": [],
  "pack test": [pack],
  "pack try": [pack, "--against", ".backstitch/trace.db"],
  plan: ["trip", "--revision", "object.json"],
  "predicate list": ["trip"],
  "predicate register": ["p1", "--when", "world.spent > 1", "--sample", "trip"],
  "predicate test": ["trip", "world.spent > 1"],
  prove: ["trip:head", "world.spent"],
  rebase: ["trip", "--onto", "other", "--dry-run"],
  recover: ["trip"],
  "why-blocked": ["trip"],
  replay: ["trip"],
  report: ["trip"],
  resolve: ["trip", "a4", "--as", "success", "--evidence", "e", "--by", "Ada", "--record", "object.json"],
  resume: ["trip", "--agent", agent],
  review: ["trip"],
  run: ["new", "--agent", agent],
  runs: [],
  secret: [],
  seed: ["seeded", "--from", "trip@3:world.spent", "--dry-run"],
  show: ["trip"],
  spec: ["trip"],
  stage: ["trip"],
  status: ["trip"],
  verify: ["trip"],
  "webhook create": ["https://hooks.example.com/in", "--type", "approval.requested"],
  "webhook list": [],
  "webhook remove": ["0123456789abcdef"],
  "webhook test": ["0123456789abcdef"]
}

const files: Readonly<Record<string, string | Uint8Array>> = {
  "bad.yaml": "a: [b: {",
  binary: Uint8Array.of(0, 255, 254, 1, 200),
  "deep.json": "[".repeat(100_000),
  empty: "",
  "five.json": "5",
  "list.json": "[1]",
  "module.ts": "export default { pack: 5, goal: 'x', steps: [null], tools: { order: 1 } }",
  "null.json": "null",
  "object.json": '{"a":{"b":[1]}}'
}

const words = [
  ...["", " ", "nobody", "../../x", "größe🧵", "\u202e\u001b[2J", "\ud800", "__proto__", "constructor"],
  ...[
    "trip",
    "trip@999",
    "trip@-1",
    "trip@x",
    "trip~9",
    "trip@",
    ":",
    "a4",
    "x".repeat(300),
    "{}",
    "-1",
    "1e400",
    "NaN"
  ],
  ...["9007199254740993", "0.5", "a=b", "=b", "1 +", "world.", "actual.x > now"]
]

const places = [
  ...["nowhere.db", "postgres://", "postgres://ada:hunter2@x:99999999/", "postgres://127.0.0.1:1/x", "mysql://x"],
  ...["/dev/null", "empty/x", "x".repeat(300)]
]

const own = new Set(["debug", "help", "json", "serve", "store", "tenant", "version", "wait"])

interface Ended {
  readonly code: unknown
  readonly out: string
  readonly err: string
}

const told = process.stdout.write.bind(process.stdout)

/** Runs the program on some words, without a process of its own. */
const run = async (args: ReadonlyArray<string>): Promise<Ended> => {
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: unknown, ...rest: ReadonlyArray<unknown>) => {
      said[name] += String(text)
      const done = rest.at(-1)
      if (typeof done === "function") done()
      return true
    }
  }
  process.exitCode = 0
  const program = Command.runWith(root, { version: "0", renderErrors: true })(args).pipe(
    Effect.provide(Platform.layer),
    Effect.timeout("1 minute")
  )
  const exit = await Effect.runPromiseExit(program)
  const options = { debug: true, json: args.includes("--json"), place: UsageHelp.find(called, args) }
  const code = Exit.isFailure(exit) ? Failure.print(exit.cause as Cause.Cause<unknown>, options) : process.exitCode
  process.exitCode = 0
  return { code, out: said.stdout, err: said.stderr }
}

const isDocument = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

const wrongWith = ({ code, err, out }: Ended): string | undefined => {
  if (code !== 0 && code !== 1 && code !== 2) return `its exit code is ${String(code)}`
  if (/nobody foresaw|^ {4}at /m.test(err)) return err
  if (code !== 0 && !isDocument(out)) return `it answers no document: ${out.slice(0, 200)}`
  if (code === 2 && err === "") return "it says nothing"
  if (obeyed.test(err)) return "a terminal would obey what it prints"
  if ((out + err).includes("hunter2")) return "it tells a password"
  return Effect.runSync(Effect.orDie(StoreFile.at(store))) === "a store" ? undefined : "the store is gone"
}

const emptied = (): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}

const filled = (): void => {
  emptied()
  cpSync(template, folder, { recursive: true })
  symlinkSync("loop", join(folder, "loop"))
  writeFileSync(join(folder, "huge"), "")
  truncateSync(join(folder, "huge"), 3 * 2 ** 30)
}

/** A line with each word exchanged, with each flag that it does not have, and at each other store. */
function* slips(given: ReadonlyArray<string>, { flags }: Completions.CommandDescriptor) {
  const all = [...words, ...Object.keys(files), "folder", "huge", "loop", "trip.jsonl", ".backstitch/trace.db"]
  for (const [index, word] of given.entries()) {
    if (!word.startsWith("--")) for (const other of all) yield given.with(index, other)
  }
  for (const { name, type } of flags) {
    if (own.has(name) || given.includes(`--${name}`)) continue
    if (type._tag === "Boolean") yield [...given, `--${name}`]
    else for (const other of all) yield [...given, `--${name}`, other]
  }
  for (const place of [...places, ...all]) yield [...given, "--store", place]
  for (const tenant of words) yield [...given, "--tenant", tenant]
}

const leaves = (
  command: Completions.CommandDescriptor,
  path: ReadonlyArray<string>
): ReadonlyArray<readonly [string, Completions.CommandDescriptor]> =>
  command.subcommands.length === 0
    ? [[path.join(" "), command]]
    : command.subcommands.flatMap((each) => leaves(each, [...path, each.name]))

process.chdir(folder)
process.env["SHOP"] = join(folder, "shop.json")
emptied()
mkdirSync("folder")
for (const [name, content] of Object.entries(files)) writeFileSync(name, content)
for (const name of ["trip", "other"]) await run(["run", name, "--agent", agent])
await run(["export", "trip", "--out", "trip.jsonl"])
cpSync(folder, template, { recursive: true })

const every = Number(process.env["EVERY"] ?? "1")
let count = 0
for (const [command, descriptor] of leaves(CompletionTree.of(root), [])) {
  if (waiting.has(command)) continue
  const given = lines[command]
  if (given === undefined) {
    told(`${JSON.stringify({ command, unknown: true })}\n`)
    continue
  }
  filled()
  for (const args of slips(given, descriptor)) {
    // In a sample, each command has other slips than the one before.
    if (count++ % every !== 0) continue
    const problem = wrongWith(await run([...command.split(" "), ...args, "--json"]))
    if (problem === undefined) continue
    told(`${JSON.stringify({ args, command, problem: problem.slice(0, 400) })}\n`)
    filled()
  }
}
rmSync(template, { recursive: true })
told(`${JSON.stringify({ count })}\n`)
process.exit(0)
