import { assert, describe, it } from "@effect/vitest"
import * as CalendarDate from "../CalendarDate.ts"
import * as Reference from "../Reference.ts"
import * as View from "../View.ts"

describe("Reference", () => {
  it("gives every running number its own booking code", () => {
    const codes = new Set<string>()
    for (let number = 1; number <= 20_000; number++) {
      codes.add(Reference.pnr(number))
      codes.add(Reference.pnr(Reference.phantom + number))
    }
    assert.strictEqual(codes.size, 40_000)
    for (const code of codes) assert.match(code, /^[A-HJ-NP-Z]{6}$/)
  })
})

describe("CalendarDate", () => {
  it("knows the days that exist and counts across months", () => {
    assert.isTrue(CalendarDate.isCalendarDate("2028-02-29"))
    for (const text of ["2027-02-29", "2026-13-01", "2026-1-1", "today", ""]) {
      assert.isFalse(CalendarDate.isCalendarDate(text), text)
    }
    assert.strictEqual(CalendarDate.plusDays("2026-12-30", 3), "2027-01-02")
  })
})

describe("View", () => {
  it("counts the versions that a reader sees", () => {
    const written = [10, 20, 30]
    assert.strictEqual(View.version(View.current, written), 3)
    assert.strictEqual(View.version(View.previous, written), 2)
    assert.deepStrictEqual(
      [9, 10, 29, 30].map((time) => View.version({ mode: "asOf", time }, written)),
      [0, 1, 2, 3]
    )
  })
})
