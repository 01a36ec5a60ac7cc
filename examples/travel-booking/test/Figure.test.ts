import { assert, describe, it } from "@effect/vitest"
import * as Crew from "../crash/Crew.ts"
import * as Figure from "../crash/Figure.ts"

describe("the crash at step 4", () => {
  it("costs a restart everything again and a second flight, and a resumption nothing (L13, L14)", async () => {
    const crew = new Crew.Crew(1)
    try {
      const figure = await Figure.run(crew)
      const { restart, resume } = figure
      assert.deepStrictEqual([restart.cost, resume.cost], ["0.34", "0.17"])
      assert.deepStrictEqual([restart.flights, resume.flights], [2, 1])
      for (const step of ["search_flights", "search_hotels", "compare"]) {
        assert.deepStrictEqual([restart.steps[step], resume.steps[step]], [2, 1], step)
      }
      assert.deepStrictEqual([restart.ended, resume.ended], ["Done", "Done"])
      assert.strictEqual(resume.charged, resume.owed)
      assert.isAbove(restart.owed, restart.charged)
      assert.match(Figure.render(figure), /cost, USD +0\.34 +0\.17\n/)
    } finally {
      await crew.close()
    }
  })
})
