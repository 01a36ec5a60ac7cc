import { suite } from "../../conformance/src/suites/ApiKeysSuite.ts"
import { layerMemory } from "../src/access/ApiKeys.ts"

suite("memory", layerMemory)
