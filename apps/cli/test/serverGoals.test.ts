/** Goals and recoveries on a store, and on a server that has a copy of it: they print the same. */
import { cpSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import * as ServedCopy from "./servedCopy.ts"
import { Shell } from "./shell.ts"

const shell = new Shell()
const secret = "a secret of tests"
const agents = { form: example("form"), event: example("event-planning"), declaring: shell.path("declaring.ts") }

/** The agent of events, which declares its goal reached once it has nothing left to propose. */
const declaring = `
import agent from ${JSON.stringify(agents.event)}
const declared = new Set()
const next = async (view) => {
  const { value } = view.specification.find(({ clause }) => clause === "city")
  const proposal = await agent.next(view)
  if (proposal !== undefined || declared.has(value)) return proposal
  declared.add(value)
  return { type: "goal.complete" }
}
export default { ...agent, next, pack: ${JSON.stringify(agents.event.replace("agent.ts", "pack.yaml"))} }
`

function example(name: string): string {
  return fileURLToPath(new URL(`../../../examples/${name}/agent.ts`, import.meta.url))
}

/** The desks of the agents, one for each side. */
const desks = (side: "here" | "there"): Record<string, string> => ({
  EVENT_DESK: shell.path(`${side}.event.json`),
  FORM_DESK: shell.path(`${side}.form.json`)
})

const here = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  shell.run(
    args.map((word) => (word in agents ? agents[word as keyof typeof agents] : word)),
    { BACKSTITCH_SECRET: secret, ...desks("here"), ...env }
  )

beforeAll(async () => {
  writeFileSync(agents.declaring, declaring)
  for (const [args, env] of [
    [["run", "event-7", "--agent", "event"], { EVENT_UNTIL: "invite" }],
    [["run", "event-8", "--agent", "event"], { EVENT_UNTIL: "book_band" }],
    [["run", "form-7", "--agent", "form"], { FORM_FULL: "tuesday" }]
  ] as const) {
    const { err } = await here(args, env)
    assert.strictEqual(err, "", args.join(" "))
  }
}, 120_000)
afterAll(() => {
  shell.remove()
  for (const name of Object.keys(desks("there"))) delete process.env[name]
})

/** A server over a copy of the shell's store, whose agents have copies of the desks. */
const copied = Effect.gen(function* () {
  for (const [name, path] of Object.entries(desks("there"))) {
    cpSync(desks("here")[name]!, path)
    process.env[name] = path
  }
  return yield* ServedCopy.make(shell, agents, "operator")
})

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["spec", "event-7"],
  ["spec", "event-7", "--json"],
  ["plan", "event-7", "--set", "city=Basel"],
  ["plan", "event-7", "--set", "city=Basel", "--json"],
  ["plan", "event-7"],
  ["inject", "event-7", "--set", "city=Basel", "--dry-run"],
  ["inject", "event-7", "to Basel, please", "--dry-run", "--agent", agents.event],
  ["inject", "event-7", "--set", "budget=1000", "--withdraw", "music", "--by", "Ada"],
  ["inject", "event-8", "--add", "quiet: world.spent < 3", "--json"],
  ["plan", "event-7"],
  ["spec", "event-7", "--json"],
  ["instances", "form-7"],
  ["checkpoints", "form-7", "--json"],
  ["why-blocked", "form-7", "--policy", "entry"],
  ["why-blocked", "form-7", "--instance", "slot::0::0", "--policy", "entry", "--json"],
  ["why-blocked", "form-7", "--instance", "slot::9::0"],
  ["recover", "form-7", "--policy", "entry"],
  ["recover", "form-7", "--policy", "entry", "--json"],
  ["recover", "form-7", "--policy", "entry", "--agent", "form", "--yes", "--reason", "tuesday is full", "--by", "Ada"],
  [
    "recover",
    "form-7",
    "--instance",
    "slot::0::0",
    "--policy",
    "entry",
    "--agent",
    "form",
    "--yes",
    "--reason",
    "x",
    "--by",
    "Ada",
    "--json"
  ],
  ["recover", "form-7", "--yes"],
  ["instances", "form-7", "--json"]
]

describe("backstitch --server", () => {
  it.live(
    "prints of goals and recoveries what a store prints, and revises in the name of the key",
    () =>
      Effect.gen(function* () {
        const { store, there } = yield* copied
        for (const args of commands) {
          const [local, remote] = [yield* Effect.promise(() => here(args)), yield* there(args)]
          const about = `${args.join(" ")}: ${remote.err}`
          assert.deepStrictEqual(
            [remote.code, ServedCopy.told(remote.out)],
            [local.code, ServedCopy.told(local.out)],
            about
          )
        }
        for (const run of ["event-7", "event-8", "form-7"]) {
          const verified = yield* Effect.promise(() => here(["verify", run, "--redecide", "--store", store]))
          assert.strictEqual(verified.code, 0, verified.out)
        }
        const [revision] = JSON.parse((yield* there(["spec", "event-8", "--json"])).out).revisions
        assert.strictEqual(revision.by, "Ada")
        const foreign = yield* there(["inject", "event-8", "--withdraw", "music", "--by", "Grace"])
        assert.deepStrictEqual([foreign.code, foreign.out], [2, ""])
        assert.include(foreign.err, "The key is that of Ada, and --by says Grace")
        for (const flag of ["--agent", "--model"]) {
          const name = flag === "--model" ? "openai-compatible" : "event"
          const refused = yield* there(["inject", "event-8", "--withdraw", "music", flag, name])
          assert.deepStrictEqual([refused.code, refused.out], [2, ""])
          assert.include(refused.err, `${flag} does not go with --server`)
        }
      }),
    120_000
  )

  it.live("tells of an agent that has nothing left to do that it is done, although it declares no goal reached", () =>
    Effect.gen(function* () {
      const { there } = yield* copied
      process.env["EVENT_UNTIL"] = "invite"
      const args = ["run", "event-9", "--agent", "event"]
      const local = yield* Effect.promise(() => here(args, { EVENT_UNTIL: "invite" }))
      const remote = yield* there(args)
      assert.include(remote.out, "DONE:")
      assert.deepStrictEqual([remote.code, ServedCopy.told(remote.out)], [local.code, ServedCopy.told(local.out)])
      const again = yield* there(["resume", "event-9", "--agent", "event"])
      assert.deepStrictEqual([again.code, again.out.includes("DONE:")], [0, true], again.out)
      // Its agent reads there what a user says, and nothing is recorded.
      const dry = ["inject", "event-9", "to Basel, please", "--dry-run"]
      const rehearsed = yield* there(dry)
      const planned = yield* Effect.promise(() => here([...dry, "--agent", "event"], { EVENT_UNTIL: "invite" }))
      assert.deepStrictEqual([rehearsed.code, ServedCopy.told(rehearsed.out)], [0, ServedCopy.told(planned.out)])
      assert.include(rehearsed.out, "nothing was recorded")
      assert.lengthOf(JSON.parse((yield* there(["spec", "event-9", "--json"])).out).revisions, 0)
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["EVENT_UNTIL"])))
  )

  it.live("tells of a run that another one has to finish that it is not done, and which one goes on", () =>
    Effect.gen(function* () {
      const { there } = yield* copied
      process.env["EVENT_UNTIL"] = "order_food"
      const reached = yield* there(["run", "event-10", "--agent", "declaring"])
      assert.include(reached.out, "DONE:")
      const revised = yield* there(["inject", "event-10", "--set", "city=Basel", "--by", "Ada"])
      assert.include(revised.out, "event-10-2")
      const resumed = yield* there(["resume", "event-10", "--agent", "declaring"])
      assert.include(resumed.out, "STOPPED:")
      assert.include(resumed.out, "backstitch resume event-10-2 ")
      assert.strictEqual(resumed.code, 1)
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["EVENT_UNTIL"])))
  )
})
