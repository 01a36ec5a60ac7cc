/**
 * Makes the wall clock of the process that loads it leap. `BANK_LEAPS` lists pairs of milliseconds: the time of the
 * leap, and its length. Monotonic time does not leap.
 */
const now = Date.now.bind(Date)
let offset = 0
Date.now = () => now() + offset
for (const leap of (process.env["BANK_LEAPS"] ?? "").split(",").filter((each) => each !== "")) {
  const [after = 0, by = 0] = leap.split(":").map(Number)
  setTimeout(() => {
    offset += by
  }, after).unref()
}
