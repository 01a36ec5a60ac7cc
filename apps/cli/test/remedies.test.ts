import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { fixture, Shell } from "./shell.ts"

const agent = fixture("remedies.ts")

/** The world and the agent at one time: the calls, and the faults. */
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
  /** The setting of another run before. */
  readonly other?: Setting
  /** A person denies what waits before the remedy is asked for. */
  readonly denied?: true
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
  },
  { name: "a budget that is used up", broken: { CALLS: "wrap:tea:1,wrap:rum:2" }, status: "refused" },
  {
    name: "a context that is not what is required",
    broken: { CALLS: "send:milk:30" },
    mended: { CALLS: "note:elm,send:milk:30" },
    status: "refused",
    says: "commit working.address before proposing send"
  },
  { name: "a call that a person denied", broken: { CALLS: "order:milk:200" }, status: "refused", denied: true },
  { name: "a step behind a pivot", broken: { CALLS: "post:parcel:3", FAULTS: "refuse-bill" }, status: "held" }
]

/** Reads the end of a run and the decisions it waits for, without ticks: a repeated refusal adds one. */
const standOf = async (shell: Shell, run: string): Promise<string> => {
  const { document: report } = await shell.json(`report ${run}`)
  const { actions, held, standing, unfinished, waits } = report
  const told = actions.map(({ action, standing }: { action: string; standing: string }) => `${action} ${standing}`)
  const open = held.map(({ action, decision }: { action: string; decision: string | null }) => `${action} ${decision}`)
  return JSON.stringify([standing, told, open, waits.length, unfinished])
}

/** The first step that a run names: by its receipt, or by the explanation to which that leads. */
const stepOf = async (shell: Shell, receipt: { readonly next: ReadonlyArray<Step> }): Promise<Step> => {
  const [first = none] = receipt.next
  if (first.verb !== "explain") return first
  const { document } = await shell.json((first.command ?? "").slice("backstitch ".length))
  return document.next[0] ?? none
}

/**
 * A step once every verdict is taken that is taken from a moment on: each view is of its own moment, and only behind
 * that one do they all name the same. The verdicts are those that were announced.
 */
const ripened = async (shell: Shell, step: Step): Promise<Step> => {
  const { as = [], later } = step
  if (later === undefined) return step
  await setTimeout(Math.max(0, later.from - Date.now()))
  const { next } = (await shell.json("report one")).document.held[0]
  assert.sameMembers(next.as, [...as, ...later.as])
  return next
}

/** A step as `--json` tells it. */
interface Step {
  readonly verb: string
  readonly as?: ReadonlyArray<string>
  readonly later?: { readonly as: ReadonlyArray<string>; readonly from: number }
  readonly command?: string
  readonly words?: string
}

const none: Step = { verb: "none" }

/** A command as a person would type it: with a name for each placeholder, and with each verdict that it offers. */
const filled = ({ command = "" }: Step, without: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const words = command
    .replace("--pack FILE", `--pack ${raised}`)
    .replace("FILE", agent)
    .replace("NAME", "Ada")
    .replace("ROLE", "chief")
    .replace("TEXT", "seen")
    .split(" ")
  const at = words.indexOf("--as") + 1
  const verdicts = at === 0 ? [""] : (words[at] ?? "").split("|").filter((as) => !without.includes(as))
  return verdicts.map((as) => words.slice(1).map((word, index) => (index === at - 1 ? as : word)))
}

/** A contract that allows more, in the folder of a shell. */
const raised = "raised.yaml"

const raise = (shell: Shell): void => {
  writeFileSync(shell.path(raised), readFileSync(fixture("remedies.yaml"), "utf8").replace("wrap: 1", "wrap: 9"))
}

/** A person denies the one call that waits, and the agent goes on. */
const deny = async (shell: Shell, setting: Setting): Promise<string> => {
  const [waiting] = (await shell.json("approvals")).document.approvals
  const [words = []] = filled(waiting.deny)
  assert.strictEqual((await shell.run(words)).code, 0)
  return (await shell.run(["resume", "one", "--agent", agent, "--json"], env(setting))).out
}

const env = (setting: Setting = {}): Record<string, string> => ({ ...setting })

describe("every remedy that is named", () => {
  for (const { broken, denied, mended, name, other, says, status, without } of scenarios) {
    it(`gets further with ${name}, and every view names the same`, async () => {
      const shell = new Shell()
      try {
        if (other !== undefined) await shell.run(["run", "other", "--agent", agent], env(other))
        raise(shell)
        const first = await shell.run(["run", "one", "--agent", agent, "--json"], env(broken))
        const out = denied === undefined ? first.out : await deny(shell, broken)
        const receipt = status === "killed" ? (await shell.json("resume one")).document : JSON.parse(out)
        assert.strictEqual(receipt.status, status === "killed" ? "held" : status, out)
        const before = await standOf(shell, "one")
        const step = await ripened(shell, await stepOf(shell, receipt))
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
          assert.strictEqual(step.words, says)
          await shell.run(["resume", "one", "--agent", agent], env(mended))
          assert.notStrictEqual(await standOf(shell, "one"), before)
          return
        }
        assert.match(step.command ?? "", /^backstitch /)
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

  it("names the outcome of a step behind a pivot, the command that shows its failure, and the refusal", async () => {
    const shell = new Shell()
    const runs = async (run: string, setting: Setting) =>
      JSON.parse((await shell.run(["run", run, "--agent", agent, "--json"], env(setting))).out)
    try {
      const owed = await runs("owed", { CALLS: "post:parcel:3", FAULTS: "refuse-bill" })
      assert.deepStrictEqual(
        owed.open.map(({ stands }: { stands: string }) => stands),
        ["was refused whenever it was sent, and remains to be done"]
      )
      await runs("failed", { FAULTS: "refuse-order" })
      const { document: review } = await shell.json("review failed")
      assert.match(review.held[0].next.command, /--as noted/)
      const { document: looked } = await shell.json("explain failed:head")
      assert.deepStrictEqual(looked.next, [review.held[0].next])
      await runs("spent", { CALLS: "wrap:tea:1,wrap:rum:2" })
      const { document: spent } = await shell.json("explain spent:head")
      assert.deepStrictEqual(
        [spent.type, spent.next[0].command],
        ["budget.exhausted", `backstitch explain spent@${spent.tick - 1}`]
      )
      assert.include(spent.why, "the budget calls.wrap is used up: at most 1 calls")
      const { document: report } = await shell.json("report spent")
      assert.include(report.unfinished, `The last proposal was refused at tick ${spent.tick - 1}: budget calls.wrap`)
    } finally {
      shell.remove()
    }
  })

  it("breaks the glass on request, and reviews the act afterwards, with either verdict", async () => {
    const shell = new Shell()
    const setting = { CALLS: "launch:rocket:3" }
    try {
      await shell.run(["run", "one", "--agent", agent], env(setting))
      const [waiting] = (await shell.json("approvals")).document.approvals
      const [breaking = []] = filled(waiting.breakGlass)
      const { out } = await shell.run([...breaking, "--json"], env(setting))
      const receipt = JSON.parse(out)
      assert.deepInclude(receipt, { status: "parked" })
      assert.strictEqual(receipt.asks[0].after, receipt.open[0].action)
      const told = await shell.run(["resume", "one"], env(setting))
      assert.notInclude(told.out, "nothing was sent")
      const report = await shell.run(["report", "one"])
      assert.notInclude(report.out, "waits: launch needs the approval")
      const [review] = (await shell.json("approvals")).document.approvals
      // The same step, which names the question as well: whoever follows it answers no other.
      const { digest, ...step } = review.approve
      assert.deepStrictEqual({ ...step, command: step.command.replace(` --digest ${digest}`, "") }, receipt.next[0])
      // Who broke the glass does not accept it themselves.
      assert.strictEqual((await shell.run(filled(review.approve)[0]!)).code, 1)
      for (const command of [review.approve, review.deny]) {
        const copy = new Shell()
        try {
          cpSync(shell.folder, copy.folder, { recursive: true })
          const before = await standOf(copy, "one")
          const [words = []] = filled(command)
          const other = words.map((word) => (word === "Ada" ? "Grace" : word))
          assert.strictEqual((await copy.run(other)).code, 0)
          const ended = JSON.parse((await copy.run(["resume", "one", "--agent", agent, "--json"], env(setting))).out)
          assert.notStrictEqual(await standOf(copy, "one"), before)
          if (command === review.approve) {
            assert.strictEqual(ended.status, "done")
            continue
          }
          assert.strictEqual(ended.status, "held")
          const [resolve = []] = filled(await ripened(copy, ended.next[0]), ["success", "abandoned"])
          assert.strictEqual((await copy.run(resolve)).code, 0)
          const last = JSON.parse((await copy.run(["resume", "one", "--agent", agent, "--json"], env(setting))).out)
          assert.strictEqual(last.open.length, 0)
        } finally {
          copy.remove()
        }
      }
    } finally {
      shell.remove()
    }
  })
})
