import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
