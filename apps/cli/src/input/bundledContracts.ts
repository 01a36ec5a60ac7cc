/** Finds the contracts to copy: beside the bundled program, or in the package `patterns` of a checkout. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The folder of the contracts to copy. */
export const bundledContracts = (): string => {
  const places = ["../contracts/", "./contracts/", "../../../../packages/patterns/contracts/"]
  const [found = ""] = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).filter(existsSync)
  return found
}
