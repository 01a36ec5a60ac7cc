import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type * as Command from "effect/cli/Command"
import type * as Completions from "effect/cli/Completions"
import { afterAll } from "vitest"
import { called, root } from "../src/Cli.ts"
import { inject } from "../src/commands/revisions/inject.ts"
import * as CompletionTree from "../src/commands/shell/CompletionTree.ts"
import * as UsageHelp from "../src/terminal/UsageHelp.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** A command with the document of its help, which the library makes for itself. */
interface Documented {
  readonly buildHelpDoc: (path: ReadonlyArray<string>) => {
    readonly args?: ReadonlyArray<{ readonly name: string; readonly type: string }>
    readonly flags: ReadonlyArray<{ readonly name: string; readonly required: boolean; readonly type: string }>
  }
}

describe("wrong usage", () => {
  it("is told the fault, the expected form, an example, and the place to read on", async () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["run --as x", "There is no flag --as of `backstitch run`. It takes RUN, --agent, --goal"],
      ["run", "`backstitch run` needs RUN: name for the run"],
      ["run a", "`backstitch run` needs --agent: module whose default export is the agent"],
      ["run a --agent", "--agent needs a value: FILE"],
      ["run a --agent b --stage x", '--stage cannot be "x": give observe, replay, contracts, full'],
      ["resume a --again 2", "--again lets the agent act: name it with --agent FILE"],
      ["resume a --wait", "--wait is for an agent that goes on: name it with --agent FILE"],
      ["resume a --snapshots 10", "--snapshots is for an agent that goes on: name it with --agent FILE"],
      ["runs --limit x", '--limit cannot be "x": give a whole number'],
      ["runs --since yesterday", "--since takes a date or a time in ISO form"],
      ["runs --limit 0", "--limit has to be 1 or more, and not 0"],
      ["show a b", '`backstitch show` takes RUN, and "b" is too much. A value with spaces needs quotes'],
      [
        "bisect a --anomaly b",
        '`backstitch bisect` takes RUN, and "b" is too much. A value of --anomaly is attached: --anomaly=b'
      ],
      ["bisect a", "Ask one question: --predicate, --anomaly"],
      ["import a --format b", '--format cannot be "b": give backstitch, openai-chat'],
      ["verify a --head abc", "--head takes a link, 64 hex digits"],
      ["completions tcsh", 'SHELL cannot be "tcsh": give bash, zsh, fish']
    ]
    for (const [line, says] of cases) {
      const { code, err, out } = await shell.run(line.split(" "))
      assert.deepStrictEqual([line, code, out], [line, 2, ""])
      assert.include(err, `backstitch: ${says}`)
      assert.match(err, /^Example: backstitch \w/m)
      assert.match(err, /^Try `backstitch .*--help`/m)
      assert.deepInclude((await shell.json(line)).document.error, { tag: "Usage" })
    }
  }, 120_000)

  it("shows the example that has the flag by which the mistake is mended", () => {
    const of = (problem: string): string | undefined =>
      UsageHelp.hints({ command: inject, path: ["backstitch", "inject"], everywhere: [] }, problem)[0]
    assert.match(
      of("Its goal is reached: only its agent can revise it. Name it with --agent") ?? "",
      / --agent travel\.ts$/
    )
    assert.strictEqual(of("A flag does not go with --agent"), of(""))
    assert.match(of("") ?? "", /^Example: backstitch inject trip-42 --set max_total=400 --dry-run$/)
  })

  it("is a tenant without runs, for a command over all of them, and another tenant's run, for any", async () => {
    await shell.run(["run", "mine", "--agent", fixture("agent.ts"), "--tenant", "acme"])
    for (const [line, says] of [
      ["verify --all", "nothing was verified"],
      ["anchor", "nothing was logged"]
    ] as const) {
      const { code, err, out } = await shell.run([...line.split(" "), "--tenant", "acne"])
      assert.deepStrictEqual([line, code, out], [line, 2, ""])
      assert.include(err, `There is no run of tenant acne: ${says}`)
      assert.strictEqual((await shell.json(`${line} --tenant acne`)).document.error.tag, "Usage")
      assert.strictEqual((await shell.run([...line.split(" "), "--tenant", "acme"])).code, 0)
    }
    for (const line of ["runs", "review", "approvals", "metrics"]) {
      assert.strictEqual((await shell.run([line, "--tenant", "acne"])).code, 0, line)
    }
    const { code, err } = await shell.run(["show", "mine", "--tenant", "acne"])
    assert.strictEqual(code, 2)
    assert.include(err, 'Tenant acne has no run "mine".')
    assert.notInclude(err, "acme")
  }, 120_000)

  it("of a file is told in words, and a rule that is none is wrong usage", async () => {
    await shell.run(["run", "trip", "--agent", fixture("agent.ts")])
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["import nofile", "nofile cannot be read: there is no such file or folder"],
      ["import .", ". cannot be read: it is a folder"],
      ["export trip --out nowhere/x", "nowhere/x cannot be written: there is no such file or folder"],
      ["fork trip@3 --tool-policy x", 'The fork cannot go on under the rule "x"']
    ]
    for (const [line, says] of cases) {
      const { code, err } = await shell.run(line.split(" "))
      assert.strictEqual(code, 2, err)
      assert.include(err, says)
    }
  }, 120_000)

  it("of a name is answered with the remedy, as a command and to programs as a verb", async () => {
    await shell.run(["run", "named", "--agent", fixture("agent.ts")])
    const again = `run named --agent ${fixture("agent.ts")}`
    const cases: ReadonlyArray<readonly [line: string, tag: string, command: string, next: object]> = [
      ["show nobody", "RunUnknown", "runs", { verb: "list" }],
      [again, "RunExists", "resume named --agent FILE", { run: "named", verb: "resume" }],
      ["action a99 --run named", "ActionUnknown", "ledger named", { run: "named", verb: "ledger" }],
      ["rebase named --continue", "NoRebase", "rebase named --onto RUN", { run: "named", verb: "rebase" }]
    ]
    for (const [line, tag, spelled, next] of cases) {
      const command = `backstitch ${spelled}`
      const { err } = await shell.run(line.split(" "))
      assert.include(err, `next: ${command}\n`)
      const { message, ...told } = (await shell.json(line)).document.error
      assert.deepStrictEqual(told, { tag, next: [{ ...next, command }] })
      assert.notInclude(message, "backstitch ")
    }
  }, 120_000)

  it("of an unknown command names similar ones, at any depth", async () => {
    assert.include((await shell.run(["frk"])).err, 'no command "frk" of `backstitch`. Did you mean fork?')
    assert.include((await shell.run(["pack", "chek"])).err, "of `backstitch pack`. Did you mean check?")
  }, 120_000)

  it("makes no store for a question about one", async () => {
    const cases = [
      ["fork", "trip@3"],
      ["approve", "trip", "r1", "--by", "Ada"],
      ["resume", "trip", "--agent", fixture("agent.ts")],
      ["resolve", "trip", "a1", "--as", "failure", "--evidence", "x", "--by", "Ada"],
      ["bisect", "trip", "--predicate", "x", "--record"]
    ]
    for (const args of cases) {
      const { code, err } = await shell.run([...args, "--store", "nowhere/trace.db"])
      assert.strictEqual(code, 2, err)
      assert.include(err, "There is no store at nowhere/trace.db")
    }
    assert.isFalse(existsSync(shell.path("nowhere")))
  }, 120_000)

  it("hints at flags that a command takes, and at no others", () => {
    const takes = (command: string, hint: string) => UsageHelp.isFor(UsageHelp.find(called, [command]), hint)
    assert.isTrue(takes("resume", "`--wait` waits for it"))
    assert.isFalse(takes("inject", "`--wait` waits for it"))
    assert.isTrue(takes("inject", "`--set` without `--agent` is only recorded"))
  })

  it("suggests the flag that may be meant, of the command or of every command, whatever the command", async () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["run a --agnt x", "There is no flag --agnt of `backstitch run`. Did you mean --agent?"],
      ["resume a --jsn", "There is no flag --jsn of `backstitch resume`. Did you mean --json?"],
      ["runs --stor x", "There is no flag --stor of `backstitch runs`. Did you mean --store?"],
      ["pack check a.yaml --sever http://x", "of `backstitch pack check`. Did you mean --server?"],
      ["--versoin", "There is no flag --versoin of `backstitch`. Did you mean --version?"],
      ["runs --frobnicate", "There is no flag --frobnicate of `backstitch runs`. It takes --limit, --since"]
    ]
    for (const [line, says] of cases) {
      const { code, err } = await shell.run(line.split(" "))
      assert.deepStrictEqual([line, code], [line, 2])
      assert.include(err, says)
    }
    const tree = CompletionTree.of(root)
    const commandsOf = (each: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> =>
      each.subcommands.length === 0 ? [each] : each.subcommands.flatMap(commandsOf)
    for (const { flags, name } of commandsOf(tree)) {
      assert.includeMembers(
        flags.map((flag) => flag.name),
        [...called.everywhere],
        name
      )
    }
  })

  it("finds the intended command, at any depth, and stops at data", () => {
    assert.deepStrictEqual(UsageHelp.find(called, ["--json", "pack", "check", "run"]).path, [
      "backstitch",
      "pack",
      "check"
    ])
    assert.deepStrictEqual(UsageHelp.find(called, ["--", "pack"]).path, ["backstitch"])
  })
})

describe("the help of a command", () => {
  it("calls no flag required that an example of the command omits", () => {
    const commands = (self: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<[string, string]> => {
      const { flags } = (self as unknown as Documented).buildHelpDoc(path)
      const required = flags.filter((flag) => flag.required).map(({ name }) => `--${name}`)
      return [
        ...self.examples.flatMap(({ command }) =>
          required.flatMap((flag): ReadonlyArray<[string, string]> => (command.includes(flag) ? [] : [[command, flag]]))
        ),
        ...self.subcommands.flatMap((group) => group.commands.flatMap((next) => commands(next, [...path, next.name])))
      ]
    }
    assert.deepStrictEqual(commands(root, ["backstitch"]), [])
  })

  it("marks a flag that is needed, and none that may be given any number of times", async () => {
    assert.match((await shell.run(["run", "--help"])).out, /--agent .*\(required\)/)
    assert.notInclude((await shell.run(["diff", "--help"])).out, "(required)")
  })
})

describe("completions", () => {
  const all = (tree: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> => [
    tree,
    ...tree.subcommands.flatMap(all)
  ]

  it("cover every command and every flag in every shell, the flags of all commands included", async () => {
    const commands = all(CompletionTree.of(root))
    assert.isAbove(commands.length, 40)
    for (const name of ["bash", "zsh", "fish"]) {
      const { code, out } = await shell.run(["completions", name])
      assert.strictEqual(code, 0)
      assert.match(out, new RegExp(`^#   backstitch completions ${name} >`, "m"))
      assert.notInclude(out, "--completions")
      for (const { flags, name: command } of commands) {
        assert.include(out, command)
        for (const { name: flag } of flags) assert.include(out, name === "fish" ? `-l ${flag}` : `--${flag}`)
        assert.includeMembers(
          flags.map(({ name: flag }) => flag),
          ["store", "server", "tenant", "json", "debug", "help", "version"]
        )
      }
      writeFileSync(shell.path(`completions.${name}`), out)
    }
    assert.strictEqual(spawnSync("bash", ["-n", shell.path("completions.bash")]).status ?? 0, 0)
  }, 120_000)

  it("complete files where files belong", () => {
    const run = CompletionTree.of(root).subcommands.find(({ name }) => name === "run")
    const typeOf = (flag: string) => run?.flags.find(({ name }) => name === flag)?.type._tag
    assert.deepStrictEqual([typeOf("agent"), typeOf("store"), typeOf("goal")], ["Path", "Path", "String"])
  })

  it("complete a file or a folder for each flag and argument whose help names one, and for no other", () => {
    const seen: Array<string> = []
    const look = (self: Completions.CommandDescriptor, path: ReadonlyArray<string>, command: Command.Command.Any) => {
      const { args = [], flags } = (command as unknown as Documented).buildHelpDoc(path)
      const own = new Map([...args, ...flags].map(({ name, type }) => [name, type]))
      for (const { name, type } of [...self.arguments, ...self.flags]) {
        const says = own.get(name)
        if (says === undefined) continue
        const isPath = /^(FILE|PACK|NEW|STORE|HISTORY|FOLDER|DIR)$/.test(says) && name !== "as" && name !== "run"
        const isKey = name === "recipient"
        assert.strictEqual(type._tag === "Path", isPath || isKey, `${path.join(" ")} ${name} ${says}`)
        if (type._tag === "Path") assert.strictEqual(type.pathType === "directory", /^(FOLDER|DIR)$/.test(says), name)
        if (isPath) seen.push(name)
      }
      for (const each of self.subcommands) {
        const next = command.subcommands.flatMap(({ commands }) => commands).find(({ name }) => name === each.name)
        if (next !== undefined) look(each, [...path, each.name], next)
      }
    }
    look(CompletionTree.of(root), ["backstitch"], root)
    assert.isAbove(seen.length, 40)
  })
})

describe("the entry of the sources", () => {
  it("tells an older Node which version it needs, and where one is", () => {
    const older = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})"
    const entry = join(import.meta.dirname, "../backstitch.js")
    const told = spawnSync(process.execPath, ["--import", older, entry, "runs"], { encoding: "utf8" })
    assert.strictEqual(told.status, 2)
    assert.include(told.stderr, "this is Node 20.20.2, and its sources need Node 22.19 or later")
    assert.include(told.stderr, "npx -y pnpm@12 backstitch --help")
    const now = spawnSync(process.execPath, [entry, "--version"], { encoding: "utf8" })
    assert.match(now.stdout, /^backstitch \d/)
  })
})
