/**
 * The contract, loaded from `pack.yaml` and the functions beside it.
 *
 * @since 0.1.0
 */
import { fileURLToPath } from "node:url"
import * as PackFile from "@backstitch/runtime/PackFile"

/**
 * Path of the contract.
 *
 * @category constants
 * @since 0.1.0
 */
export const file: string = fileURLToPath(new URL("./pack.yaml", import.meta.url))

/**
 * Loads the contract.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = PackFile.load(file)
