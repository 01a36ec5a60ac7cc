import { cpSync, rmSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { fixture, Shell } from "./shell.ts"

const agent = fixture("remedies.ts")

/** How the world and the agent are at one time: what is called, and what goes wrong. */
interface Setting {
  readonly CALLS?: string
  readonly FAULTS?: string
}

/**
 * A cause that holds a run up, and what is mended outside before the remedy is tried. Where the remedy is no command
 * but a change of the agent, `says` is what it has to say, and the agent of `mended` has made it.
 */
interface Scenario {
  readonly name: string
  readonly broken: Setting
  readonly mended?: Setting
  readonly status: "failed" | "held" | "killed" | "parked" | "refused"
  readonly says?: string
  /** What another run did before. */
  readonly other?: Setting
  /** A verdict that leads on once somebody has corrected the record itself, which is not played here. */
  readonly without?: ReadonlyArray<string>
}

const scenarios: ReadonlyArray<Scenario> = [
  { name: "an unknown call without a key", broken: { CALLS: "shout:hello:1", FAULTS: "lost" }, status: "held" },
  { name: "an unknown call with a key", broken: { FAULTS: "lost" }, status: "held" },
  { name: "a record that differs", broken: { FAULTS: "dearer" }, status: "held", without: ["reopened"] },
  { name: "a call that needs an approval", broken: { CALLS: "order:milk:200" }, status: "parked" },
  { name: "a tool without a contract", broken: { CALLS: "teleport:home:1" }, mended: {}, status: "parked" },
  {
    name: "a call that a guard refuses",
    broken: { CALLS: "order:milk:600" },
    mended: { CALLS: "order:milk:60" },
    status: "refused",
    says: "change the intent so that affordable no longer refuses it"
  },
  {
    name: "an argument of the wrong type",
    broken: { CALLS: "order:milk:1.5" },
    status: "refused",
    mended: { CALLS: "order:milk:15" },
    says: "give price as a whole number"
  },
  {
    name: "a call after a violation",
    broken: { CALLS: "order:milk:95,order:bread:3" },
    mended: { CALLS: "order:milk:80,order:bread:3" },
    status: "refused"
  },
  {
    name: "a target that another run holds",
    other: { FAULTS: "dearer" },
    broken: {},
    status: "refused",
    without: ["reopened"]
  },
  {
    name: "a read that failed",
    broken: { CALLS: "search:milk", FAULTS: "down" },
    status: "failed",
    mended: { CALLS: "search:milk" }
  },
  { name: "a call that failed for good", broken: { FAULTS: "refuse-order" }, status: "failed" },
  { name: "a crash in mid-call", broken: { FAULTS: "die" }, status: "killed" },
  {
    name: "an undoing that failed",
    broken: { CALLS: "lend:book:3", FAULTS: "dearer,refuse-giveBack" },
    mended: { CALLS: "lend:book:3" },
    status: "held"
  }
]

/** What a run stands at: what it waits for, and no ticks, of which a repeated refusal adds one. */
const standOf = async (shell: Shell, run: string): Promise<string> => {
  const { document: report } = await shell.json(`report ${run}`)
  const { actions, held, standing, unfinished, waits } = report
  const told = actions.map(({ action, standing }: { action: string; standing: string }) => `${action} ${standing}`)
  const open = held.map(({ action, decision }: { action: string; decision: string | null }) => `${action} ${decision}`)
  return JSON.stringify([standing, told, open, waits.length, unfinished])
}

/** The first step that a run names: by its receipt, or by the explanation to which that leads. */
const stepOf = async (shell: Shell, receipt: { readonly next: ReadonlyArray<string> }): Promise<string> => {
  const [first = ""] = receipt.next
  if (!first.startsWith("backstitch explain ")) return first
  const { document } = await shell.json(first.slice("backstitch ".length))
  return document.next[0] ?? ""
}

/** A command as a person would type it: with a name for each placeholder, and with each verdict that it offers. */
const filled = (command: string, without: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const [plain = ""] = command.split(" (or ")
  const words = plain
    .replace("FILE", agent)
    .replace("NAME", "Ada")
    .replace("ROLE", "chief")
    .replace("TEXT", "seen")
    .split(" ")
  const at = words.indexOf("--as") + 1
  const verdicts = at === 0 ? [""] : (words[at] ?? "").split("|").filter((as) => !without.includes(as))
  return verdicts.map((as) => words.slice(1).map((word, index) => (index === at - 1 ? as : word)))
}

const env = (setting: Setting = {}): Record<string, string> => ({ ...setting })

describe("every remedy that is named", () => {
  for (const { broken, mended, name, other, says, status, without } of scenarios) {
    it(`gets further with ${name}, and every view names the same`, async () => {
      const shell = new Shell()
      try {
        if (other !== undefined) await shell.run(["run", "other", "--agent", agent], env(other))
        const first = await shell.run(["run", "one", "--agent", agent, "--json"], env(broken))
        const receipt = status === "killed" ? (await shell.json("resume one")).document : JSON.parse(first.out)
        assert.strictEqual(receipt.status, status === "killed" ? "held" : status, first.out)
        const before = await standOf(shell, "one")
        const step = await stepOf(shell, receipt)
        if (status === "held") {
          const { document: report } = await shell.json("report one")
          const { document: review } = await shell.json("review one")
          const { document: explained } = await shell.json("explain one:head")
          assert.deepStrictEqual(
            [report.held[0].next, review.held[0].next, explained.next[0] ?? step],
            [step, step, step]
          )
        }
        if (says !== undefined) {
          assert.strictEqual(step, says)
          await shell.run(["resume", "one", "--agent", agent], env(mended))
          assert.notStrictEqual(await standOf(shell, "one"), before)
          return
        }
        assert.match(step, /^backstitch /)
        for (const words of filled(step, without)) {
          const copy = new Shell()
          try {
            cpSync(shell.folder, copy.folder, { recursive: true })
            const done = await copy.run(words, env(mended))
            assert.notStrictEqual(done.code, 2, `${words.join(" ")}: ${done.err}`)
            const run = words[0] === "fork" ? "one-fork-" : "one"
            const { document } = await copy.json("runs")
            const id = document.runs.find(
              (each: { run: string }) => each.run.startsWith(run) && (run !== "one" || each.run === "one")
            ).run
            if (words[0] !== "resume") await copy.run(["resume", id, "--agent", agent], env(mended))
            assert.notStrictEqual(await standOf(copy, id), before, words.join(" "))
          } finally {
            rmSync(copy.folder, { recursive: true, force: true })
          }
        }
      } finally {
        shell.remove()
      }
    })
  }
})
