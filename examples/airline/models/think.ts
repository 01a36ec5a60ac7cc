/** Takes a note. Nothing comes of it. */
import type { Answer } from "../World.ts"

export default (): Answer => ({ output: "" })
