/** Two runs of one goal at the same moment: real processes, a real world, SQLite and Postgres. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Truth from "../../../examples/travel-booking/crash/Truth.ts"
import * as World from "../../../examples/travel-booking/world/World.ts"
import { Shell } from "./shell.ts"

const agent = join(import.meta.dirname, "../../../examples/travel-booking/agent.ts")
const secret = "the secret of the twins"

let shell: Shell

beforeAll(() => {
  shell = new Shell()
})

afterAll(() => shell.remove())

const stores = {
  SQLite: () => shell.path(`${randomBytes(6).toString("hex")}.db`),
  Postgres: () => {
    const url = process.env["BACKSTITCH_TEST_POSTGRES"]
    if (url === undefined) throw new Error("no Postgres was started for this run: see tooling/src/postgres.ts")
    return url
  }
}

/** Counts the effects of each tool in the world's own database. */
const effects = async (url: string): Promise<ReadonlyArray<number | undefined>> => {
  const rows = await Truth.read(url)
  return Truth.tools.map((tool) => rows[Truth.mutations[tool].table]?.length)
}

describe("two runs of a goal", () => {
  for (const [name, storeOf] of Object.entries(stores)) {
    for (const how of ["at the same moment", "one after the other"] as const) {
      it(`book one trip ${how}, in two processes on ${name}, and both know of it`, { timeout: 240_000 }, async () => {
        const world = await World.start({ settleAfterMillis: 200 })
        try {
          const env = { BACKSTITCH_SECRET: secret, BACKSTITCH_STORE: storeOf(), WORLD_URL: world.url }
          const tenant = ["--tenant", `twins-${randomBytes(6).toString("hex")}`]
          const begin = (run: string) => shell.run(["run", run, "--agent", agent, ...tenant], env)
          const ended =
            how === "at the same moment"
              ? await Promise.all([begin("trip-42"), begin("trip-50")])
              : [await begin("trip-42"), await begin("trip-50")]
          for (const { code, err, out } of ended) assert.strictEqual(code, 0, `${out}\n${err}`)
          assert.deepStrictEqual(await effects(world.url), [1, 1, 1, 1])
          for (const run of ["trip-42", "trip-50"]) {
            const state = await shell.run(["replay", run, "--json", ...tenant], env)
            assert.strictEqual(JSON.parse(state.out).state.world.spent, 47_800)
            const report = await shell.run(["report", run, "--json", ...tenant], env)
            assert.deepInclude(JSON.parse(report.out), { held: [], standing: "success", unfinished: null })
            const verified = await shell.run(["verify", run, "--redecide", "--json", ...tenant], env)
            assert.strictEqual(verified.code, 0, verified.out)
          }
        } finally {
          await world.close()
        }
      })
    }
  }
})
