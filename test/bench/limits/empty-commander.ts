/** The limit of `platform --help`: a commander program with nothing in it. */
import { Command } from 'commander';

new Command('empty').description('Nothing').parse();
