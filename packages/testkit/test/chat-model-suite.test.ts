import { chatModelSuite } from "../src/suites/index.ts";
import { createReferenceModel } from "./reference-model.ts";

chatModelSuite("the reference model", createReferenceModel);
