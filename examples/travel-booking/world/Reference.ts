/**
 * The names that the world gives to what it creates.
 *
 * They are functions of a running number, so that two runs of the same script give the same names. Numbers from
 * `phantom` upwards are never issued; a false success takes its names from them.
 */

const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
const codes = letters.length ** 6
/** Coprime to the number of codes, so that no two running numbers below that number have the same code. */
const stride = 48_271_003

/** First of the numbers that are never issued. */
export const phantom = 100_000_000

/** A six-letter booking code, as airlines print it. */
export const pnr = (number: number): string => {
  let rest = Number((BigInt(number) * BigInt(stride)) % BigInt(codes))
  let code = ""
  for (let place = 0; place < 6; place++) {
    code = letters[rest % letters.length] + code
    rest = Math.floor(rest / letters.length)
  }
  return code
}

/** A numbered reference such as `CH-000001`. */
export const numbered = (prefix: "ST" | "CH" | "RF" | "MS", number: number): string =>
  `${prefix}-${String(number).padStart(6, "0")}`
