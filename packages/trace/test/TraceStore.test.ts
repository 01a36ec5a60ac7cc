import { suite } from "../../conformance/src/TraceStoreSuite.ts"
import { layerMemory } from "../src/TraceStore.ts"

suite("memory", layerMemory)
