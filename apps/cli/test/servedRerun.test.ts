import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Errands from "../../server/test/errands.ts"
import * as Events from "../../server/test/events.ts"
import { serve } from "../../server/test/served.ts"
import { Shell } from "./shell.ts"

const form = fileURLToPath(new URL("../../../examples/form/agent.ts", import.meta.url))

/** An agent whose pack has a run begun anew if a subtask of it is blocked. */
const rerunning = (shell: Shell): string => {
  const [pack, agent] = [shell.path("pack.yaml"), shell.path("agent.ts")]
  const text = readFileSync(form.replace("agent.ts", "pack.yaml"), "utf8")
  writeFileSync(pack, `${text}recovery: { tries: 0, blocked: rerun }\n`)
  const source = `import form from ${JSON.stringify(form)}\nexport default { ...form, pack: ${JSON.stringify(pack)} }\n`
  writeFileSync(agent, source)
  return agent
}

/** The output of a run whose subtask is blocked. Its store is its own: in another, a run takes over what it did. */
const blocked = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const shell = new Shell()
  const desk = { FORM_DESK: shell.path("desk.json"), FORM_FULL: "tuesday" }
  Object.assign(process.env, desk)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const name of Object.keys(desk)) delete process.env[name]
      shell.remove()
    })
  )
  const { address, key } = yield* serve(shell.path("trace.db"), { form: rerunning(shell) })
  const env = { BACKSTITCH_KEY: yield* key("default", "operator", { name: "Ada" }) }
  const words = ["run", "form-1", "--agent", "form", "--server", address, ...flags]
  return (yield* Effect.promise(() => shell.run(words, env))).out
})

describe("backstitch run --server", () => {
  it.live("tells of a run that waits for an agent which the server does not have", () =>
    Effect.gen(function* () {
      const shell = new Shell()
      yield* Effect.addFinalizer(() => Effect.sync(shell.remove))
      const store = shell.path("trace.db")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { as, key, address } = yield* serve(store, Errands.agents)
          const operator = yield* key("default", "operator")
          yield* as(operator)("/v1/runs", { json: { run: "errand-1", agent: "errands" } })
          yield* Events.until(`${address}/v1/runs/errand-1/events?from=1`, operator, "review.requested")
        })
      )
      const { address, key } = yield* serve(store)
      const env = { BACKSTITCH_KEY: yield* key("default", "viewer") }
      for (const words of [["runs"], ["status", "errand-1"], ["resume", "errand-1"]]) {
        const { out } = yield* Effect.promise(() => shell.run([...words, "--server", address], env))
        const line = out.replaceAll(/\s+/g, " ")
        assert.include(line, "WAITS: run=errand-1 | It waits for its agent errands, which this server does not have.")
        const { out: json } = yield* Effect.promise(() => shell.run([...words, "--server", address, "--json"], env))
        assert.deepInclude(JSON.parse(json).lacking[0], { run: "errand-1", agent: "errands" })
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "names the run that goes on after a subtask was blocked",
    () =>
      Effect.gen(function* () {
        const told = /GOES ON: run=form-1-again \| the task of form-1 goes on there: backstitch show form-1-again/
        assert.match(yield* Effect.scoped(blocked()), told)
        assert.strictEqual(JSON.parse(yield* Effect.scoped(blocked("--json"))).goes_on, "form-1-again")
      }),
    120_000
  )
})
