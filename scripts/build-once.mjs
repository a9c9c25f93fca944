// `tsc -b`, as soon as no other build is under way: CI builds the site while it builds the rest.
import { build } from './build.mjs';

build();
