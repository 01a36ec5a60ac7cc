/** The airline's contract, loaded from `pack.yaml` and the functions in its folder. */
import { fileURLToPath } from "node:url"
import * as PackFile from "@backstitch/runtime/PackFile"

/** Path of the contract. */
export const file: string = fileURLToPath(new URL("./pack.yaml", import.meta.url))

/** Loads the contract. */
export const load = PackFile.load(file)
