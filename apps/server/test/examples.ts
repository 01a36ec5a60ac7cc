/** Hosted agents of the examples, each with a desk of its own, that ask a manager before one of their tools. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { folder, type Served } from "./served.ts"

/** The variable that names the desk of an example. */
const variables = { "event-planning": "EVENT_DESK", form: "FORM_DESK" } as const

/** An agent of an example: the path of its module, and its desk as it is now. */
export interface Example {
  readonly module: string
  readonly desk: <A>() => A
}

/** Places an agent of an example, whose calls of the tool `asks` wait for a manager. Its desk goes with the scope. */
export const place = Effect.fnUntraced(function* (name: keyof typeof variables, asks: string) {
  const place = yield* folder
  const desk = join(place, "desk.json")
  const variable = variables[name]
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      process.env[variable] = desk
    }),
    () => Effect.sync(() => delete process.env[variable])
  )
  const of = (file: string): string => fileURLToPath(new URL(`../../../examples/${name}/${file}`, import.meta.url))
  const [module, pack] = [join(place, "agent.ts"), join(place, "pack.yaml")]
  const approvals = `approvals: { ${asks}: { by: [manager], expires: 1h } }\n`
  writeFileSync(pack, `${readFileSync(of("pack.yaml"), "utf8")}${approvals}`)
  writeFileSync(
    module,
    `import agent from ${JSON.stringify(of("agent.ts"))}\nexport default { ...agent, pack: ${JSON.stringify(pack)} }\n`
  )
  const example: Example = { module, desk: () => JSON.parse(readFileSync(desk, "utf8")) }
  return example
})

/** A run at rest: its name, its state there and, if it matters, the thing that it waits for, such as a delivery. */
export interface Awaited {
  readonly key: string
  readonly run: string
  readonly doing: string
  readonly for?: string
}

/** Waits until a hosted run is at something. */
export const until = ({ ask }: Pick<Served, "ask">, { doing, for: what, key, run }: Awaited) =>
  Effect.promise(async () => {
    for (let times = 0; times < 1000; times++) {
      const hosted = (await (await ask(`/v1/runs/${run}/hosting`, { key })).json()) as {
        readonly doing: string
        readonly waits: ReadonlyArray<{ readonly for: string }>
      }
      if (hosted.doing === doing && (what === undefined || hosted.waits.some((wait) => wait.for === what))) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`run ${run} is never ${doing}${what === undefined ? "" : ` for a ${what}`}`)
  })
