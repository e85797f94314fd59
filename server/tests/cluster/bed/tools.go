//go:build tools

// Package bed names the two commands that the cluster of the tests is made of. It has no code of its own.
package bed

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
