import { suite } from "../../conformance/src/suites/WriteAnswersSuite.ts"
import { layerMemory } from "../src/access/WriteAnswers.ts"

suite("memory", layerMemory)
