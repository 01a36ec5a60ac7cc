/** The crash matrix in a short form: `node examples/travel-booking/crash/main.ts` prints all of it. */
import { randomBytes } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import * as Matrix from "../crash/Matrix.ts"

// Needs the server at BACKSTITCH_TEST_POSTGRES.
const postgres = () => {
  const url = process.env["BACKSTITCH_TEST_POSTGRES"]
  if (url === undefined) throw new Error("no Postgres was started for this run: see tooling/src/postgres.ts")
  return { url, schema: `crash_${randomBytes(6).toString("hex")}` }
}

const timeout = 240_000
const { moments } = Matrix
const lethal = moments.filter(
  ({ nth, place }) =>
    place === "effect/answered" ||
    place === "settle/staged" ||
    place === "settle/due" ||
    (place === "append/before" && nth > 1)
)

describe("an agent that kills itself at a place of the commit path, and is resumed", () => {
  let crew: Crew.Crew
  beforeAll(() => {
    crew = new Crew.Crew(3)
  })
  afterAll(() => crew.close())

  const ones = (count: number) => Array.from({ length: count }, () => [1, "reconciled"])
  const ends = (verdicts: Awaited<ReturnType<typeof Matrix.run>>) => {
    assert.deepStrictEqual(Matrix.broken(verdicts), [], Matrix.render(verdicts))
    return verdicts.map(({ effects, end }) => [effects, end])
  }

  it("has done everything once, wherever it died, and lost no acknowledged commit (L14)", {
    timeout
  }, async () => {
    const plan = { moments, tools: ["charge_card"], resumptions: ["one"] } as const
    assert.deepStrictEqual(ends(await Matrix.run([plan], { crew })), ones(moments.length))
  })

  it("has done everything once when two processes resume it at once, and when it is killed again (L1, L14)", {
    timeout
  }, async () => {
    const plan = { moments: lethal, tools: ["book_flight"], resumptions: ["two", "again"] } as const
    assert.deepStrictEqual(ends(await Matrix.run([plan], { crew })), ones(2 * lethal.length))
  })

  it("has done everything once on Postgres, too (L14)", { timeout }, async () => {
    const plans = [
      { moments: lethal, tools: ["book_hotel"], resumptions: ["one"] },
      { moments: lethal.slice(0, 1), tools: ["send_confirmation"], resumptions: ["two"] }
    ] as const
    assert.deepStrictEqual(ends(await Matrix.run(plans, { crew, postgres: postgres() })), ones(lethal.length + 1))
  })

  it("is seen to have done something twice when its client sends no key", { timeout }, async () => {
    const plan = { moments: lethal.slice(0, 1), tools: ["book_flight"], resumptions: ["one"], isKeyless: true } as const
    const [verdict] = await Matrix.run([plan], { crew })
    assert.strictEqual(verdict?.effects, 2)
    assert.isTrue(verdict?.problems.includes("2 effects of book_flight"))
  })
})
