#!/bin/sh
#SBATCH --job-name=tabperturb
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --requeue
# A build in as many shares as the array has tasks, on a folder that all nodes see:
#
#   DATA=/shared/spider OUT=/shared/robust sbatch --export=ALL slurm.sh
#   tabperturb merge /shared/robust
#
# A task that was requeued goes on where it stopped.
exec tabperturb build --data "$DATA" --perturb "${PERTURB:-drspider}" --out "$OUT" \
	--workers "${SLURM_CPUS_PER_TASK:-1}" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume --quiet
