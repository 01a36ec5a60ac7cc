/** Takes a note, without any effect. */
import type { Answer } from "../World.ts"

export default (): Answer => ({ output: "" })
